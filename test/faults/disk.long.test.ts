import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { proves } from '#support/gateway/verifies.ts'

const MIB = 2 ** 20

describe.skipIf(!canMount)('a gateway that was started on a disk that takes no writes (needs root)', () => {
  proves('storage.writable-again', 'changes it again by itself, in the same process, once the disk does', async () => {
    const disk = new SmallDisk(64 * MIB)
    const env = { HM_PORT: String(await freePort()) }
    const { dataDir } = disk
    const first = await GatewayProcess.start({ dataDir, env })
    const { token, ca, url } = first
    await first.kill()
    disk.readOnly(true)
    await using gateway = await GatewayProcess.start({ dataDir, env })
    await using http = callerOver('http', { url, ca, token: token! })
    const path = `/v1/rooms/${token!
      .replace(/^hm_key_/, '')
      .split('.')
      .slice(0, 2)
      .join(':')}:room:hall`
    const rename = async (): Promise<number> =>
      (await http.call({ method: 'PATCH', path, body: { name: 'Anew' } })).status
    expect(await rename()).toBe(503)
    disk.readOnly(false)
    while (gateway.printed.split('Ctrl-C stops it.').length < 3) await once(gateway.child.stdout!, 'data')
    expect(await rename()).toBe(200)
    expect(gateway.stderr).toContain('The disk takes writes again: the gateway starts anew.')
    expect((await gateway.kill('SIGTERM')).code).toBe(0)
  })
})

test.skipIf(canMount)('disks that take no writes are not tested: mounting one needs root', () => {
  expect(canMount).toBe(false)
})
