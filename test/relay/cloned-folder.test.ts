import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { become, gatewayAt, startLinked } from '#support/relay/gateway-at.ts'
import { LineBetween } from '#support/relay/line-between.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

const GATEWAY = { ...ONE_UNIT, settled: false } as const

/** As an administrator copies a folder: with its modes. */
const copied = (from: string, to: string): unknown => execFileSync('cp', ['-a', `${from}/.`, to])

async function started(dataDir: string): Promise<TestGateway> {
  const running = await TestGateway.open({ ...GATEWAY, dataDir })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

interface View {
  readonly state: string
  readonly rivalAt: number | null
  readonly trouble: string | null
}

const viewOf = (running: TestGateway): Promise<View> => running.admin.call<View>('GET', '/relay')

/** Resolves once this gateway knows that there is another one. */
async function found(running: TestGateway): Promise<void> {
  while ((await viewOf(running)).rivalAt === null) await new Promise(setImmediate)
}

/** Resolves once this gateway serves no more through the relay. */
async function gaveWay(running: TestGateway): Promise<void> {
  while ((await viewOf(running)).trouble === null) await new Promise(setImmediate)
}

async function activityOf(running: TestGateway): Promise<string[]> {
  const { activity } = running.gateway.stores.history
  await activity.committed()
  return [...activity.each(0, Number.MAX_SAFE_INTEGER)].map(({ what }) => what)
}

/** Both say that there is another one; the one that came first has given way, and the other serves. */
async function expectReported(older: TestGateway, younger: TestGateway): Promise<void> {
  await Promise.all([gaveWay(older), found(younger)])
  expect(await viewOf(older)).toMatchObject({ state: 'connecting', trouble: expect.stringContaining('copy') })
  expect(await viewOf(younger)).toMatchObject({ state: 'linked', trouble: null })
  for (const running of [older, younger]) {
    const { out } = await hm(running.dataDir, 'status')
    expect(out).toContain('Another gateway with a copy of this data folder')
    expect(await activityOf(running)).toContain('Another gateway is at the relay with the key of this one')
    expect((await hm(running.dataDir, 'relay', 'status')).out).toMatch(/^copy +another gateway/m)
  }
  expect(await activityOf(older)).toContain(
    'This gateway gives way to another one with its key, and uses the relay no more',
  )
}

describe('two gateways with copies of one data folder', () => {
  proves('relay.cloned-folder', 'both report the other, and the one that came first gives way', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [folder, copy] = [tempFolder(), tempFolder()]
    const before = await TestGateway.open({ ...GATEWAY, dataDir: folder })
    await relay.serve(before)
    await before[Symbol.asyncDispose]()
    copied(folder, copy)
    const older = await started(folder)
    while ((await viewOf(older)).state !== 'linked') await new Promise(setImmediate)
    const younger = await started(copy)
    await expectReported(older, younger)
    // The administrator picks the other one after all.
    await relay.connect(older)
    await Promise.all([gaveWay(younger), found(older)])
    expect(await viewOf(older)).toMatchObject({ state: 'linked', trouble: null })
  })

  proves('relay.cloned-folder', 'find each other also where they count the same', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [folder, copy] = [tempFolder(), tempFolder()]
    const first = gatewayAt(relay, { folder })
    await startLinked(relay, first)
    await first.link.stop()
    copied(folder, copy)
    // Both go on after the number that the folder holds, within the hour.
    const [one, other] = [gatewayAt(relay, { folder }), gatewayAt(relay, { folder: copy })]
    one.link.start()
    await become(one, 'linked')
    other.link.start()
    await Promise.all([one.usurped, other.usurped, Promise.race([one.gaveWay, other.gaveWay])])
    while (![one, other].some(({ link }) => link.status().state === 'linked')) await new Promise(setImmediate)
  })
})

describe.skipIf(!HAS_NATS)('two gateways with copies of one data folder at two nodes (needs nats-server)', () => {
  proves.long('relay.cloned-folder', 'report each other, and one of them gives way', async () => {
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
    await Promise.all([one.usurped, other.usurped, Promise.race([one.gaveWay, other.gaveWay])])
  })
})

test('a gateway that dials anew, by itself, over a broken line or after a restart, meets no other', async () => {
  const relay = await TestRelay.open()
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const [line, folder] = [await LineBetween.to(relay.relay.port), tempFolder()]
  const gateway = gatewayAt(relay, { folder, port: line.port })
  await startLinked(relay, gateway)
  const replaced = vi.spyOn(gateway.link, 'replaced')
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
})
