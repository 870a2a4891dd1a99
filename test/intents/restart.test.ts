import { expect } from 'vitest'
import { SimulatedLine } from '../../src/gateway/simulated-home.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { INTENT_PLAN, intentHouse, settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

let clock = new PassingClock()
const verifies = verifiesAlone(
  () => {
    clock = new PassingClock()
    return { clock, sim: { plan: INTENT_PLAN }, firstHouse: intentHouse() }
  },
  { over: 'stream' },
)

const LOCALS = ['dimmer', 'single', 'module', 'module:0', 'mixed:1', 'power', 'sense', 'shutter']

verifies(
  'intents.restart',
  'after a restart without an adapter the list answers with the old values and their asOf',
  async (home) => {
    await settingsRead(home, clock)
    expect(
      (
        await clock.hasten(
          home.call({ method: 'PUT', path: home.at('dimmer', '/intents/off_delay'), body: { value: 77 } }),
        )
      ).status,
    ).toBe(200)
    const listsOf = (call: (path: string) => Promise<unknown>) =>
      Promise.all(LOCALS.flatMap((local) => [call(home.at(local, '/intents')), call(home.at(local, '/schedules'))]))
    const before = await listsOf((path) => home.get(path))
    await home.running.stop()
    await clock.pass(60_000)

    const { sim, dataDir } = home.running
    sim.unplug()
    await using restarted = await TestGateway.open({
      clock,
      dataDir,
      openPort: () => new SimulatedLine(sim),
      settled: false,
    })
    await using again = await TestHome.at(home.transport, restarted, home.main)
    await using caller = callerOver(home.transport, again.access(home.main.token))
    const after = await listsOf(async (path) => (await caller.call({ method: 'GET', path })).body)
    expect(after).toEqual(before)
    const [dimmer] = after as [{ intents: { intent: string; value: unknown; asOf: number }[] }]
    expect(dimmer.intents.find(({ intent }) => intent === 'off_delay')).toMatchObject({ value: 77 })
    expect(
      await caller.call({ method: 'PUT', path: home.at('dimmer', '/intents/off_delay'), body: { value: 1 } }),
    ).toMatchObject({ status: 503 })
  },
)

verifies('intents.unknown', 'a value that no unit confirmed is null with asOf null', async (home) => {
  const { sim } = home.running
  sim.unplug()
  await using unread = await TestGateway.open({
    clock,
    firstHouse: intentHouse(),
    openPort: () => new SimulatedLine(sim),
    settled: false,
  })
  const { integration } = (await unread.admin.call('POST', '/integrations', {
    name: 'Test',
    settings: { advanced_config: 'read', schedules: 'on' },
  })) as { integration: { id: string } }
  const { token } = (await unread.admin.call('POST', '/keys', { integration: integration.id })) as { token: string }
  await using caller = callerOver(home.transport, { url: unread.url, ca: await caOf(unread), token })
  for (const local of LOCALS) {
    const id = encodeURIComponent(`${unread.gateway.serial}:${integration.id}:${local}`)
    const { intents } = (await caller.call({ method: 'GET', path: `/v1/devices/${id}/intents` })).body as {
      intents: { value: unknown; asOf: unknown; source: string }[]
    }
    expect(intents.length).toBeGreaterThan(0)
    expect(new Set(intents.map(({ value, asOf, source }) => JSON.stringify([value, asOf, source])))).toEqual(
      new Set(['[null,null,"cache"]']),
    )
    expect((await caller.call({ method: 'GET', path: `/v1/devices/${id}/schedules` })).body).toMatchObject({
      schedules: [],
      asOf: null,
    })
  }
})

async function caOf(gateway: TestGateway): Promise<string> {
  const { ca } = (await gateway.admin.call('GET', '/tls')) as { ca: { pem: string } }
  return ca.pem
}
