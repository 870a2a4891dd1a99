import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { RelayUnavailable } from '../../relay/model/unavailable.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { become, gatewayAt, startLinked } from '#support/relay/gateway-at.ts'
import { LineBetween } from '#support/relay/line-between.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

const GATEWAY = { ...ONE_UNIT, settled: false } as const

/** Copies a folder with its modes, as an administrator does. */
const copied = (from: string, to: string): unknown => execFileSync('cp', ['-a', `${from}/.`, to])

/** A gateway's clock that reaches one minute of uptime soon. */
class LongRunning implements Clock {
  #ranMs = 0
  readonly now = systemClock.now
  readonly after = systemClock.after
  readonly boot = systemClock.boot
  readonly monotonic = (): number => systemClock.monotonic() + this.#ranMs

  /** Lets a minute pass in which no timer is due. */
  minute(): void {
    this.#ranMs += 60_000
  }
}

async function started(dataDir: string, relayClock: Clock = systemClock): Promise<TestGateway> {
  const running = await TestGateway.open({ ...GATEWAY, dataDir, relayClock })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

interface View {
  readonly state: string
  readonly rivalAt: number | null
  readonly trouble: string | null
  readonly gaveWay: boolean
}

const viewOf = (running: TestGateway): Promise<View> => running.admin.call<View>('GET', '/relay')

async function linked(running: TestGateway): Promise<void> {
  while ((await viewOf(running)).state !== 'linked') await new Promise(setImmediate)
}

/** Resolves once this gateway has found another one with its key. */
async function found(running: TestGateway): Promise<void> {
  while ((await viewOf(running)).rivalAt === null) await new Promise(setImmediate)
}

/** Resolves once this gateway no longer serves through the relay. */
async function gaveWay(running: TestGateway): Promise<void> {
  while (!(await viewOf(running)).gaveWay) await new Promise(setImmediate)
}

async function activityOf(running: TestGateway): Promise<string[]> {
  const { activity } = running.gateway.stores.history
  await activity.committed()
  return [...activity.iterate(0, Number.MAX_SAFE_INTEGER)].map(({ what }) => what)
}

/** Both report the other; the older one has given way, and the other serves. */
async function expectReported(older: TestGateway, younger: TestGateway): Promise<void> {
  await Promise.all([gaveWay(older), found(younger)])
  expect(await viewOf(older)).toMatchObject({ state: 'connecting', trouble: expect.stringContaining('copy') })
  expect(await viewOf(younger)).toMatchObject({ state: 'linked', trouble: null })
  for (const running of [older, younger]) {
    const { out } = await hm(running.dataDir, 'status')
    expect(out).toContain('Another gateway with a copy of this data folder')
    expect(await activityOf(running)).toContain('Another gateway uses the relay with the key of this gateway')
    expect((await hm(running.dataDir, 'relay', 'status')).out).toMatch(/^copy +another gateway/m)
  }
  expect(await activityOf(older)).toContain(
    'Another gateway with the same key replaced this one, which no longer uses the relay',
  )
}

/** Expects that this gateway reports that it gave way. */
async function expectAside(running: TestGateway): Promise<void> {
  while ((await viewOf(running)).state !== 'connecting') await new Promise(setImmediate)
  expect(await viewOf(running)).toMatchObject({ gaveWay: true, trouble: expect.stringContaining('copy') })
}

/** Two gateways of one folder; the older one has given way. */
async function parted(): Promise<{
  relay: TestRelay
  older: TestGateway
  younger: TestGateway
  youngerClock: LongRunning
}> {
  const relay = await TestRelay.open()
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const [folder, copy] = [tempFolder(), tempFolder()]
  const before = await TestGateway.open({ ...GATEWAY, dataDir: folder })
  await relay.serve(before)
  await before[Symbol.asyncDispose]()
  copied(folder, copy)
  const clock = new LongRunning()
  const older = await started(folder, clock)
  await linked(older)
  clock.minute()
  const youngerClock = new LongRunning()
  const younger = await started(copy, youngerClock)
  await Promise.all([gaveWay(older), found(younger)])
  await linked(younger)
  return { relay, older, younger, youngerClock }
}

describe('two gateways with copies of one data folder', () => {
  proves('relay.cloned-folder', 'both report the other, and the one that came first gives way', async () => {
    const { relay, older, younger, youngerClock } = await parted()
    await expectReported(older, younger)
    youngerClock.minute()
    // The administrator chooses the older one with the command in the report.
    expect((await hm(older.dataDir, 'relay', 'connect', relay.relay.url)).code).toBe(0)
    await gaveWay(younger)
    await expectReported(younger, older)
  })

  proves(
    'relay.cloned-folder',
    'the one that connected first gives way, whatever their epochs',
    { tags: ['long'] },
    async () => {
      const relay = await TestRelay.open()
      onTestFinished(() => relay[Symbol.asyncDispose]())
      const [folder, copy] = [tempFolder(), tempFolder()]
      const before = await TestGateway.open({ ...GATEWAY, dataDir: folder })
      await relay.serve(before)
      await before[Symbol.asyncDispose]()
      copied(folder, copy)
      // Higher epochs than in the copy.
      for (let start = 0; start < 2; start += 1) {
        const again = await TestGateway.open({ ...GATEWAY, dataDir: folder })
        await linked(again)
        await again[Symbol.asyncDispose]()
      }
      const clock = new LongRunning()
      const older = await started(folder, clock)
      await linked(older)
      clock.minute()
      await older.admin.call('POST', '/relay/link')
      clock.minute()
      await expectReported(older, await started(copy))
    },
  )

  proves(
    'relay.cloned-folder',
    'report each other and serve as before after both restart',
    { tags: ['long'] },
    async () => {
      const { older, younger, relay } = await parted()
      await older[Symbol.asyncDispose]()
      const olderAgain = await started(older.dataDir)
      await expectAside(olderAgain)
      expect(await viewOf(younger)).toMatchObject({ state: 'linked', trouble: null })
      await younger[Symbol.asyncDispose]()
      const youngerAgain = await started(younger.dataDir)
      await linked(youngerAgain)
      await relay.relay.tunnels.settled()
      await expectAside(olderAgain)
      for (const running of [olderAgain, youngerAgain])
        expect((await hm(running.dataDir, 'status')).out).toContain('Another gateway with a copy of this data folder')
    },
  )

  proves(
    'relay.cloned-folder',
    'one serves if both are copies of a gateway that gave way',
    { tags: ['long'] },
    async () => {
      const { older, younger } = await parted()
      await older[Symbol.asyncDispose]()
      await younger[Symbol.asyncDispose]()
      const copy = tempFolder()
      copied(older.dataDir, copy)
      const [one, other] = [await started(older.dataDir), await started(copy)]
      const served = async (): Promise<string[]> => {
        for (;;) {
          const views = await Promise.all([one, other].map(viewOf))
          if (views.some(({ state, trouble }) => state === 'linked' && trouble === null))
            return views.map(({ state }) => state).sort()
          await new Promise(setImmediate)
        }
      }
      expect(await served()).toEqual(['connecting', 'linked'])
      for (const running of [one, other])
        expect((await hm(running.dataDir, 'status')).out).toContain('Another gateway with a copy of this data folder')
    },
  )

  proves('relay.cloned-folder', 'the one that gave way can still unlink all accounts', { tags: ['long'] }, async () => {
    const { older, younger, relay } = await parted()
    const { code, out } = await hm(older.dataDir, 'relay', 'unlink')
    expect([code, out]).toEqual([0, expect.not.stringContaining('pending')])
    expect(await relay.relay.enrolment.accountsOf(older.gateway.serial)).toEqual([])
    while ((await viewOf(younger)).state !== 'unlinked') await new Promise(setImmediate)
    await expectAside(older)
    expect(await activityOf(older)).toContain('The relay unlinked all accounts')
  })

  proves(
    'relay.cloned-folder',
    'the one that gave way says that the other serves until then',
    { tags: ['long'] },
    async () => {
      const { older, relay } = await parted()
      const { enrolment } = relay.relay
      const refused = vi.spyOn(enrolment, 'unlinkAll').mockRejectedValue(new RelayUnavailable())
      const unlinking = hm(older.dataDir, 'relay', 'unlink')
      while (refused.mock.calls.length === 0) await new Promise(setImmediate)
      const { out } = await hm(older.dataDir, 'status')
      expect(out).toContain('still serves the home')
      expect((await hm(older.dataDir, 'relay', 'status')).out).toMatch(/^pending .*still serves the home/m)
      for (const text of [out, (await hm(older.dataDir, 'relay', 'status')).out])
        expect(text).not.toContain('nobody reaches the home')
      refused.mockRestore()
      expect((await unlinking).code).toBe(0)
    },
  )

  proves('relay.cloned-folder', 'find each other also where they count the same', { tags: ['long'] }, async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [folder, copy] = [tempFolder(), tempFolder()]
    const first = gatewayAt(relay, { folder })
    await startLinked(relay, first)
    await first.link.stop()
    copied(folder, copy)
    // Both continue after the epoch in the folder, within the hour.
    const [one, other] = [gatewayAt(relay, { folder }), gatewayAt(relay, { folder: copy })]
    one.link.start()
    await become(one, 'linked')
    other.link.start()
    await Promise.all([one.foundRival, other.foundRival, Promise.race([one.gaveWay, other.gaveWay])])
    while (![one, other].some(({ link }) => link.status().state === 'linked')) await new Promise(setImmediate)
  })
})

describe.skipIf(!HAS_NATS)('two gateways with copies of one data folder at two nodes (needs nats-server)', () => {
  proves('relay.cloned-folder', 'report each other, and one of them gives way', { tags: ['long'] }, async () => {
    const { nodes } = await severalNodes(2)
    const [here, there] = nodes as [TestRelay, TestRelay]
    const [folder, copy] = [tempFolder(), tempFolder()]
    const first = gatewayAt(here, { folder })
    await startLinked(here, first)
    await first.link.stop()
    copied(folder, copy)
    const [one, other] = [gatewayAt(here, { folder }), gatewayAt(there, { folder: copy })]
    one.link.start()
    other.link.start()
    await Promise.all([one.foundRival, other.foundRival, Promise.race([one.gaveWay, other.gaveWay])])
  })
})

test(
  'a gateway that dials anew, by itself, over a broken line or after a restart, meets no other',
  { tags: ['long'] },
  async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [line, folder] = [await LineBetween.to(relay.relay.port), tempFolder()]
    const gateway = gatewayAt(relay, { folder, port: line.port })
    await startLinked(relay, gateway)
    const replaced = vi.spyOn(gateway.link, 'handleTakeover')
    for (const [index, mode] of (['on', 'off', 'on', 'off'] as const).entries()) {
      await gateway.link.passthrough(mode, () => {})
      while (replaced.mock.calls.length === index) await new Promise(setImmediate)
    }
    const { connections } = line
    line.reset()
    await line.reached(connections + 1)
    await become(gateway, 'linked')
    await gateway.link.stop()
    const again = gatewayAt(relay, { folder, port: line.port })
    again.link.start()
    await become(again, 'linked')
    await relay.relay.tunnels.settled()
    for (const { link } of [gateway, again]) expect(link.status()).toMatchObject({ rivalAt: null })
  },
)
