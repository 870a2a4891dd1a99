import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BALLAST_BYTES, WRITE_CHECK_MS } from '../../src/operations/disk.ts'
import { socketFolders } from '../../src/lib/socket-places.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MIB = 2 ** 20
const MINUTE = 60_000

const withoutRights = 'mounting a disk needs root'

describe.skipIf(!canMount)(`a disk that is full (${withoutRights})`, () => {
  async function lived(clock: PassingClock, disk: SmallDisk, log = recordingLog()) {
    const running = await TestGateway.open({ clock, dataDir: disk.dataDir, log })
    const home = await TestHome.at('http', running)
    return { running, home, log }
  }

  proves(
    'storage.full-disk',
    'stops no read, no control and no timer; changes are 503 until there is room',
    { tags: ['long'] },
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const clock = new PassingClock()
      const { running, home, log } = await lived(clock, disk)
      await using _ = running
      const lamp = home.at('hall-light')
      const rename = (name: string) => clock.hasten(home.call({ method: 'PATCH', path: lamp, body: { name } }))
      const turn = (on: boolean) =>
        clock.hasten(home.call({ method: 'POST', path: `${lamp}/control`, body: { op: 'set_power', args: { on } } }))

      disk.fill()
      await clock.pass(2 * MINUTE)
      // The gateway's reserve has room for changes now; that fills up too.
      disk.fill()
      expect(await rename('On a full disk')).toMatchObject({
        status: 503,
        body: { error: { code: 'storage_unavailable', retryAfter: 30 } },
      })
      expect((await turn(true)).status).toBe(200)
      expect(await home.get(lamp)).toMatchObject({ device: { name: 'Hall light' } })
      expect(await running.admin.call('GET', '/status')).toMatchObject({ disk: { state: 'failing' } })
      await clock.pass(3 * MINUTE)
      expect((await turn(false)).status).toBe(200)
      expect(log.sentences('error').filter((line) => line.startsWith('The disk accepts no writes'))).toHaveLength(1)

      disk.empty()
      expect((await rename('With room')).status).toBe(200)
      expect(log.sentences('warn')).toContain('The configuration can be changed again.')
      await clock.pass(2 * MINUTE)
      expect(await running.admin.call('GET', '/status')).toMatchObject({ disk: { state: 'ok' } })
    },
  )
})

describe.skipIf(!canMount)(`a disk that fills up (${withoutRights})`, () => {
  async function lived(disk: SmallDisk) {
    const [clock, log] = [new PassingClock(), recordingLog()]
    const running = await TestGateway.open({ clock, dataDir: disk.dataDir, log })
    while (statSync(join(disk.dataDir, 'ballast'), { throwIfNoEntry: false })?.size !== BALLAST_BYTES)
      await clock.pass(MINUTE)
    return { running, clock, log, home: await TestHome.at('http', running) }
  }

  proves(
    'storage.full-disk',
    'gives its reserve to the very first change without room',
    { tags: ['long'] },
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const { running, home, log } = await lived(disk)
      await using _ = running
      disk.fill()
      const made = home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name: 'On a full disk' } })
      expect((await made).status).toBe(200)
      expect(existsSync(join(disk.dataDir, 'ballast'))).toBe(false)
      expect(log.sentences('error').filter((line) => line.startsWith('The disk accepts no writes'))).toEqual([])
      expect(log.sentences('error')).toContain('The disk is full: the history leaves entries out. Free space.')
      expect(await running.admin.call('GET', '/status')).toMatchObject({ disk: { state: 'full' } })
    },
  )

  proves(
    'storage.full-disk',
    'is reported when a tenth of it is left, and when there is more again',
    { tags: ['long'] },
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const { running, clock, log } = await lived(disk)
      await using _ = running
      const state = async () => (await running.admin.call<{ disk: { state: string } }>('GET', '/status')).disk.state
      const nearly = 'The disk is nearly full. Free space before it is.'
      disk.fill(12 * MIB)
      await clock.pass(2 * MINUTE)
      expect([await state(), log.sentences('warn').includes(nearly)]).toEqual(['ok', false])
      disk.fill(6 * MIB)
      await clock.pass(2 * MINUTE)
      expect([await state(), log.sentences('warn').includes(nearly)]).toEqual(['low', true])
      expect((await hm(disk.dataDir, 'status')).out).toContain('left on the disk under the data folder')
      disk.empty()
      await clock.pass(2 * MINUTE)
      expect([await state(), log.sentences('warn').at(-1)]).toEqual(['ok', 'The disk has space again.'])
    },
  )
})

describe.skipIf(!canMount)(`choices made while a disk is full (${withoutRights})`, () => {
  proves(
    'storage.full-disk',
    'are refused, and the relay and the backups stay unchanged',
    { tags: ['long'] },
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const { relay, home, through } = await relayedHome({ gateway: { dataDir: disk.dataDir } })
      const house = { method: 'GET', path: '/v1/house' }
      const ask = (method: string, path: string, body?: object) => home.running.admin.call(method, path, body)
      expect((await through.call(house)).status).toBe(200)

      const { url, authority } = relay.relay
      const changes = [
        ['DELETE', '/relay'],
        ['PUT', '/relay/passthrough', { mode: 'only' }],
        ['POST', '/relay', { url, fingerprint: authority?.fingerprint }],
        ['PUT', '/backups/choice', { encrypted: false, history: true }],
      ] as const
      for (const [method, path, body] of changes) {
        // The gateway's reserve for changes fills up too.
        disk.fill()
        expect([path, await ask(method, path, body).catch((error: unknown) => String(error))]).toEqual([
          path,
          expect.stringMatching(/disk accepts no writes|no space|full/i),
        ])
      }
      expect(await ask('GET', '/relay')).toMatchObject({ state: 'linked', passthrough: 'off' })
      expect(await ask('GET', '/backups')).toMatchObject({ choice: { encrypted: true, history: false } })
      expect((await through.call(house)).status).toBe(200)

      disk.empty()
      await ask('PUT', '/relay/passthrough', { mode: 'only' })
      expect(await ask('GET', '/relay')).toMatchObject({ state: 'linked', passthrough: 'only' })
    },
  )
})

describe.skipIf(!canMount)(`a disk that went read-only (${withoutRights})`, () => {
  proves(
    'storage.read-only',
    'serves the home as it is, says so, and refuses changes',
    { tags: ['long'] },
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const clock = new PassingClock()
      const running = await TestGateway.open({ clock, dataDir: disk.dataDir })
      const made = await TestHome.at('http', running)
      await running.stop()
      disk.readOnly(true)
      const log = recordingLog()
      {
        await using again = await TestGateway.open({ clock, dataDir: disk.dataDir, log })
        const home = await TestHome.at('http', again, made.main)
        const lamp = home.at('hall-light')
        expect(await home.get(lamp)).toMatchObject({ device: { name: 'Hall light' } })
        const control = home.call({
          method: 'POST',
          path: `${lamp}/control`,
          body: { op: 'set_power', args: { on: true } },
        })
        expect((await clock.hasten(control)).status).toBe(200)
        expect(await home.call({ method: 'PATCH', path: lamp, body: { name: 'New' } })).toMatchObject({
          status: 503,
          body: { error: { code: 'storage_unavailable' } },
        })
        await clock.pass(3 * MINUTE)
        const socket = again.gateway.adminSocket
        expect(socket).toMatch(/\/hm-gateway-[0-9a-f]{16}\/admin\.sock$/)
        const { out } = await hm(disk.dataDir, 'status')
        expect(out).toContain('The disk accepts no writes')
        expect(out).toContain(`The data folder cannot hold a socket file: the command line uses ${socket}.`)
        expect(log.sentences('error')).toContain(
          'The disk accepts no writes: this home is served as it is, and changes are refused. The gateway restarts once the disk accepts writes.',
        )
      }
      // No folder is left.
      expect(socketFolders(disk.dataDir, {}).filter((line) => existsSync(line))).toEqual([])
      expect((await hm(disk.dataDir, 'status')).err).toContain('can be reached. Its disk accepts no writes')
      disk.readOnly(false)
      await using later = await TestGateway.open({ clock, dataDir: disk.dataDir })
      expect(later.gateway.adminSocket).toBe(join(disk.dataDir, 'admin.sock'))
      const home = await TestHome.at('http', later, made.main)
      expect((await home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name: 'New' } })).status).toBe(
        200,
      )
    },
  )
})

describe.skipIf(!canMount)(`a start on a disk that accepts no writes (${withoutRights})`, () => {
  proves(
    'storage.writable-again',
    'restarts once it accepts writes, and not before; a leftover copy is removed',
    async () => {
      const disk = new SmallDisk(64 * MIB)
      const clock = new PassingClock()
      const running = await TestGateway.open({ clock, dataDir: disk.dataDir })
      const { serial } = running.gateway
      await running.stop()
      const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(`hm-gateway-${serial}-`))
      const left = mkdtempSync(join(tmpdir(), `hm-gateway-${serial}-`))
      disk.fill()
      disk.readOnly(true)
      let restarts = 0
      {
        await using _ = await TestGateway.open({ clock, dataDir: disk.dataDir, restart: () => void (restarts += 1) })
        expect([existsSync(left), copies().length]).toEqual([false, 1])
        await clock.pass(3 * MINUTE)
        expect(restarts).toBe(0)
        disk.readOnly(false)
        await clock.pass(2 * WRITE_CHECK_MS)
        expect(restarts).toBe(0)
        disk.empty()
        await clock.pass(WRITE_CHECK_MS)
        await clock.pass(MINUTE)
        expect(restarts).toBe(1)
      }
      expect(copies()).toEqual([])
    },
  )
})

proves('storage.read-only', 'a configuration locked by another process is served unchanged', async () => {
  const clock = new PassingClock()
  const dataDir = tempFolder()
  const running = await TestGateway.open({ clock, dataDir })
  const made = await TestHome.at('http', running)
  await running.stop()
  const other = new Database(join(dataDir, 'core.db'))
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  await using again = await TestGateway.open({ clock, dataDir })
  const home = await TestHome.at('http', again, made.main)
  const lamp = home.at('hall-light')
  expect(await home.get(lamp)).toMatchObject({ device: { name: 'Hall light' } })
  expect(await home.call({ method: 'PATCH', path: lamp, body: { name: 'New' } })).toMatchObject({
    status: 503,
    body: { error: { code: 'storage_unavailable' } },
  })
})

test.skipIf(canMount)(`disks that are full or read-only are not tested: ${withoutRights}`, () => {
  expect(canMount).toBe(false)
})
