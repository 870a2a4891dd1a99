import { describe, expect } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { accessActivity, STORED_LATER, DISK_RETRY_MS } from '#support/faults/failing-home.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

const MIB = 2 ** 20

describe.skipIf(!canMount)('a disk that accepts no more writes (mounting a disk needs root)', () => {
  async function lived() {
    const [disk, clock] = [new SmallDisk(64 * MIB), new PassingClock()]
    const options = { clock, dataDir: disk.dataDir, settled: false }
    const running = await TestGateway.open(options)
    const home = await TestHome.at('http', running)
    const { operator } = await running.admin.call<{ operator: { id: string } }>('POST', '/operators', {
      name: 'Monitoring',
      scopes: ['metrics'],
    })
    const doomed = await home.integrate({ name: 'Wall tablet' })
    return { disk, clock, options, running, home, doomed, operator: operator.id }
  }

  const operatorsOf = async ({ admin }: TestGateway): Promise<readonly string[]> =>
    (await admin.call<{ operators: { id: string }[] }>('GET', '/operators')).operators.map(({ id }) => id)

  proves(
    'storage.ends-at-once',
    'a full one prevents no token and no integration from ending',
    { tags: ['long'] },
    async () => {
      const { disk, clock, running, home, doomed, operator } = await lived()
      await using _ = running
      disk.fill()
      // The gateway's reserve has room for changes now; that fills up too.
      await home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name: 'On a full disk' } })
      disk.fill()
      expect((await hm(disk.dataDir, 'operator', 'end', operator)).out).toContain(STORED_LATER)
      expect((await hm(disk.dataDir, 'integration', 'delete', doomed.id)).out).toContain(STORED_LATER)
      expect(await operatorsOf(running)).toEqual([])
      expect((await home.call({ method: 'GET', path: '/v1/house', token: doomed.token })).status).toBe(401)
      disk.empty()
      await clock.pass(DISK_RETRY_MS)
      expect(await accessActivity(running)).toEqual([
        'integration Wall tablet deleted',
        'operator token “Monitoring” revoked',
      ])
    },
  )

  proves('storage.ends-at-once', 'a revocation on a read-only one survives the next start', async () => {
    const { disk, options, running, doomed, operator } = await lived()
    await running.stop()
    disk.readOnly(true)
    {
      await using again = await TestGateway.open(options)
      expect((await hm(disk.dataDir, 'operator', 'end', operator)).out).toContain(STORED_LATER)
      expect((await hm(disk.dataDir, 'key', 'revoke', doomed.link)).out).toContain(STORED_LATER)
      expect(await operatorsOf(again)).toEqual([])
      disk.readOnly(false)
    }
    await using later = await TestGateway.open(options)
    expect(await operatorsOf(later)).toEqual([])
    const { keys } = await later.admin.call<{ keys: { link: string; state: string }[] }>('GET', '/keys')
    expect(keys.find(({ link }) => link === doomed.link)?.state).toBe('ended')
  })
})
