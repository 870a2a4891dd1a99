import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import type { StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import { TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { DETECTIONS } from '../../src/home/model/device.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })

/** This unit measures temperature, humidity, CO2 and its battery; its alarms are only detections. */
const BATHROOM = { local: 'bathroom-climate', address: 63 } as const

type Readings = Readonly<Record<string, unknown>>
interface Sensor {
  readonly id: string
  readonly class: string
  readonly readings: Readings
}

async function readingsOf(
  home: TestHome,
  local: string,
  who: TestIntegration = home.main,
): Promise<Readings | undefined> {
  const { sensors } = (await home.get('/v1/sensors', who.token)) as unknown as { sensors: readonly Sensor[] }
  return sensors.find(({ id }) => id === home.id(local, who))?.readings
}

const stateOf = async (home: TestHome, local: string): Promise<Readings | null> =>
  ((await home.get(home.at(local))) as { device: { state: Readings | null } }).device.state

async function listener(home: TestHome): Promise<TestSocket> {
  const socket = await home.socket()
  onTestFinished(() => socket.close())
  expect(await socket.subscribe(['sensor'])).toMatchObject({ status: 200 })
  return socket
}

/** Waits for the event with a reading of a sensor. */
const saying =
  (home: TestHome, local: string, kind: string, value: unknown) =>
  (event: StreamMessage): boolean =>
    event['device'] === home.id(local) && (event['state'] as Readings)[kind] === value

const turn = (home: TestHome, local: string, on: boolean) =>
  clock.hasten(home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } }))

describe('an alarm', () => {
  for (const kind of DETECTIONS)
    verifies(
      ['devices.alarms', '6.2.sensor'],
      `is a reading from the first report to the report of its end, with an event for both: ${kind}`,
      async (home) => {
        const { local, address } = BATHROOM
        const socket = await listener(home)
        for (const value of [true, false, true, false]) {
          const before = await readingsOf(home, local)
          socket.events.splice(0)
          home.running.sim.house.detect(address, kind, value)
          const event = await clock.hasten(socket.event(saying(home, local, kind, value)))
          expect(event).toMatchObject({ event: 'sensor', class: 'sensor', state: { ...before, [kind]: value } })
          expect(await readingsOf(home, local)).toEqual({ ...before, [kind]: value })
          expect(await stateOf(home, local)).toMatchObject({ [kind]: value })
        }
      },
    )

  verifies(['devices.alarms', '1.4.hidden'], 'of a hidden unit is not visible', async (home) => {
    const { local, address } = BATHROOM
    const narrow = await home.integrate({ expose: ['room:kitchen'] })
    const socket = await home.socket(narrow.token)
    onTestFinished(() => socket.close())
    await socket.subscribe(['*'])
    home.running.sim.house.detect(address, 'smoke', true)
    await clock.pass(2 * SECOND)
    expect(await readingsOf(home, local)).toMatchObject({ smoke: true })
    expect(await readingsOf(home, local, narrow)).toBeUndefined()
    home.running.sim.house.detect(address, 'smoke', false)
    await clock.pass(2 * SECOND)
    await socket.ask('settled', { id: 'settled', method: 'GET', path: '/v1/about' })
    expect(socket.events.filter((message) => message['device'] === home.id(local, narrow))).toEqual([])
  })

  verifies(
    ['devices.alarms', 'automations.sensing'],
    'starts rules by its first report, and is a condition of them',
    async (home) => {
      const { address } = BATHROOM
      const device = home.id(BATHROOM.local)
      const create = async (name: string, rule: object): Promise<void> => {
        const answer = await home.call({ method: 'POST', path: '/v1/automations', body: { name, ...rule } })
        expect(answer.status, answer.text).toBe(201)
      }
      const lamp = home.id('hall-light')
      const then = [{ device: lamp, op: 'set_power', args: { on: true } }]
      await create('Water', {
        when: [{ device, reading: 'water', is: true }],
        if: [{ device, reading: 'water', is: true }],
        then,
      })
      await turn(home, 'hall-light', false)
      const socket = await home.socket()
      onTestFinished(() => socket.close())
      await socket.subscribe(['state'])
      home.running.sim.house.detect(address, 'water', true)
      const event = await clock.hasten(
        socket.event((event) => event['device'] === lamp && (event['state'] as Readings)['on'] === true),
      )
      expect(event['event']).toBe('state')
      home.running.sim.house.detect(address, 'water', false)
    },
  )
})

describe('power and energy', () => {
  verifies(
    ['devices.power', '6.2.sensor'],
    'are readings of the unit or gang that reports them, and a confirmed off ends the power',
    async (home) => {
      for (const [local, its] of [
        ['living-lamp', 'light_dimmer'],
        ['entrance-panel:1', 'switch_gang'],
      ] as const) {
        const socket = await listener(home)
        await turn(home, local, true)
        const isOn = (event: StreamMessage): boolean =>
          event['device'] === home.id(local) && Number((event['state'] as Readings)['power']) > 0
        const event = await clock.hasten(socket.event(isOn))
        expect(event).toMatchObject({ class: its, state: { power: expect.any(Number), energy: expect.any(Number) } })
        expect(await readingsOf(home, local)).toMatchObject({ power: (event['state'] as Readings)['power'] })
        const off = clock.hasten(socket.event(saying(home, local, 'power', 0)))
        await turn(home, local, false)
        expect(await readingsOf(home, local)).toMatchObject({ power: 0, energy: expect.any(Number) })
        await off
      }
      expect(Object.keys((await readingsOf(home, 'entrance-panel')) ?? {})).not.toContain('energy')
      await passTime(home, clock, MINUTE)
      expect(await stateOf(home, 'house-meter')).toMatchObject({
        power: expect.any(Number),
        energy: expect.any(Number),
      })
    },
  )

  verifies('devices.power', 'of a gang are shown to an integration that sees that gang alone', async (home) => {
    const narrow = await home.integrate({ expose: ['gang:entrance-panel:1'] })
    await turn(home, 'entrance-panel:1', true)
    await passTime(home, clock, MINUTE)
    expect(await readingsOf(home, 'entrance-panel:1', narrow)).toEqual({
      power: expect.any(Number),
      energy: expect.any(Number),
    })
    expect(await readingsOf(home, 'entrance-panel', narrow)).toBeUndefined()
    expect(await readingsOf(home, 'entrance-panel:2', narrow)).toBeUndefined()
  })

  verifies(
    ['devices.power', 'activity.readings'],
    'have a history of the power; the counter over time is GET /v1/energy',
    async (home) => {
      await turn(home, 'guest-light', true)
      await passTime(home, clock, MINUTE)
      const ask = (kind: string) =>
        home.call({ method: 'GET', path: home.at('guest-light', '/readings'), query: { kind } })
      const power = (await ask('power')).body as { series: readonly { max: number }[] }
      expect(Math.max(...power.series.map(({ max }) => max))).toBeGreaterThan(0)
      expect((await ask('energy')).status).toBe(422)
    },
  )
})

verifies('devices.alarms', 'returns with a unit that was out of the house for a while', async (home) => {
  // No rule in this file uses it.
  const [local, address] = ['bedroom-climate', 55] as const
  const { admin, sim } = home.running
  const { file } = (await admin.call('GET', '/house/file')) as { file: string }
  const lines = file.split('\n')
  const begin = lines.findIndex((line) => line.endsWith(`id: ${local}`))
  const end = lines.findIndex((line, at) => at > begin && !line.startsWith('    '))
  expect(begin).toBeGreaterThan(0)
  const without = lines.toSpliced(begin, end - begin).join('\n')
  sim.house.detect(address, 'smoke', true)
  await clock.pass(SECOND)
  expect(await readingsOf(home, local)).toMatchObject({ smoke: true })
  await admin.call('PUT', '/house/file', { file: without, check: false })
  expect(await readingsOf(home, local)).toBeUndefined()
  await admin.call('PUT', '/house/file', { file, check: false })
  expect(await readingsOf(home, local)).toMatchObject({ smoke: true })
  sim.house.detect(address, 'smoke', false)
  await clock.pass(SECOND)
  expect(await readingsOf(home, local)).toMatchObject({ smoke: false })
})

verifies(
  ['devices.alarms', 'devices.power'],
  'stand over a restart until the unit reports their end, at HTTPS, on the stream and for agents',
  async (home) => {
    // This test uses its own house and restarts its gateway.
    expect(await readingsOf(home, 'house-meter')).toBeDefined()
    const dataDir = mkdtempSync(join(tmpdir(), 'hm-test-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const { local, address } = BATHROOM
    let lamp: string[]
    {
      await using before = await TestHome.open(home.transport, { dataDir, clock })
      before.running.sim.house.detect(address, 'smoke', true)
      await turn(before, 'living-lamp', true)
      await passTime(before, clock, MINUTE)
      lamp = Object.keys((await readingsOf(before, 'living-lamp')) ?? {})
      expect(lamp).toEqual(expect.arrayContaining(['power', 'energy']))
      expect(await readingsOf(before, local)).toMatchObject({ smoke: true })
    }
    await using after = await TestHome.open(home.transport, { dataDir, clock })
    expect(await readingsOf(after, local)).toMatchObject({ smoke: true })
    expect(await stateOf(after, local)).toMatchObject({ smoke: true })
    expect(Object.keys((await readingsOf(after, 'living-lamp')) ?? {})).toEqual(expect.arrayContaining(lamp))
    const socket = await listener(after)
    after.running.sim.house.detect(address, 'smoke', false)
    await clock.hasten(socket.event(saying(after, local, 'smoke', false)))
    expect(await readingsOf(after, local)).toMatchObject({ smoke: false })
  },
)
