import { expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { requestsDuring } from '#support/gateway/requests-to-units.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })

interface Sensor {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly room: string | null
  readonly floor: string | null
  readonly readings: Record<string, unknown>
  readonly asOf: number | null
}
interface Detections {
  readonly house: string
  readonly device: string
  readonly detections: readonly { at: number; kind: string; value: boolean }[]
  readonly nextCursor: string | null
}

const sensorsOf = async (home: TestHome, who: TestIntegration = home.main): Promise<Sensor[]> =>
  (await home.get('/v1/sensors', who.token))['sensors'] as Sensor[]
const pathOf = (home: TestHome, local: string, who: TestIntegration = home.main): string =>
  `/v1/sensors/${encodeURIComponent(home.id(local, who))}/detections`
const ask = (home: TestHome, local: string, query: Record<string, string> = {}, who: TestIntegration = home.main) =>
  home.call({ method: 'GET', path: pathOf(home, local, who), query, token: who.token })
const detectionsOf = async (home: TestHome, local: string, query: Record<string, string> = {}): Promise<Detections> =>
  (await ask(home, local, query)).body as Detections

verifies(
  ['4.sensors', 'activity.sensors'],
  'lists the readings of every exposed sensor, with its place and their age',
  async (home) => {
    await passTime(home, clock, 30 * MINUTE)
    const sensors = await sensorsOf(home)
    const of = (local: string): Sensor => sensors.find(({ id }) => id === home.id(local))!
    expect(of('landing-sensor')).toEqual({
      id: home.id('landing-sensor'),
      name: 'Landing sensor',
      class: 'sensor',
      room: home.id('room:landing'),
      floor: home.id('floor:first-floor'),
      readings: {
        motion: expect.any(Boolean),
        light: expect.any(Number),
        temperature: expect.any(Number),
        battery: expect.any(Number),
      },
      asOf: expect.any(Number),
    })
    // The readings come from the simulated house.
    expect(Object.keys(of('bedroom-climate').readings).toSorted()).toEqual([
      'battery',
      'co2',
      'humidity',
      'temperature',
    ])
    expect(Object.keys(of('terrace-door').readings).toSorted()).toEqual(['battery', 'door', 'temperature'])
    expect(of('house-meter')).toMatchObject({
      class: 'meter',
      room: null,
      floor: null,
      readings: { power: expect.any(Number) },
    })
    // A wall switch has a sensor too; a lock has none.
    expect(of('hall-light').readings).toMatchObject({ temperature: expect.any(Number) })
    expect(of('front-door')).toBeUndefined()
    for (const { asOf, readings } of sensors) {
      expect(asOf ?? 0).toBeLessThanOrEqual(clock.now())
      if (readings['temperature'] !== undefined) expect(Math.abs(Number(readings['temperature']))).toBeLessThan(60)
      if (readings['humidity'] !== undefined) expect(Number(readings['humidity'])).toBeLessThanOrEqual(100)
    }
    const narrow = await home.integrate({ expose: ['room:bathroom'] })
    expect((await sensorsOf(home, narrow)).map(({ id }) => id)).toEqual(
      ['bathroom-panel', 'bathroom-heater', 'bathroom-climate'].map((local) => home.id(local, narrow)),
    )
  },
)

verifies(
  ['4.sensors', '2.7.no-frame'],
  'readings come from the cache: a request sends no frame, and a new reading is visible at once',
  async (home) => {
    await passTime(home, clock, MINUTE)
    const { sim } = home.running
    const door = async (): Promise<unknown> =>
      (await sensorsOf(home)).find(({ id }) => id === home.id('terrace-door'))?.readings['door']
    for (const open of [true, false]) {
      sim.house.door(35, open)
      await clock.pass(SECOND)
      const requests = await requestsDuring(home, async () => expect(await door()).toBe(open))
      expect(requests).toBe(0)
    }
  },
)

verifies(['4.detections', 'activity.detections'], 'detections come newest first, with kind and time', async (home) => {
  const { sim } = home.running
  const from = clock.now()
  for (const open of [true, false, true, false]) {
    sim.house.door(35, open)
    await passTime(home, clock, 2 * SECOND)
  }
  const answer = await detectionsOf(home, 'terrace-door', { limit: '4' })
  expect(answer).toMatchObject({ house: 'Sonnenwinkel', device: home.id('terrace-door') })
  expect(answer.detections.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    'door false',
    'door true',
    'door false',
    'door true',
  ])
  for (const [index, { at }] of answer.detections.entries()) {
    expect(at).toBeGreaterThanOrEqual(from)
    expect(at).toBeLessThanOrEqual(answer.detections[index - 1]?.at ?? clock.now())
  }
})

/** Detections of the past, as the gateway would have stored them. */
function record(home: TestHome, unit: string, ats: readonly number[]): void {
  const { detections } = home.running.gateway.stores.history
  for (const [index, at] of ats.entries()) detections.record(unit, { at, kind: 'motion', value: index % 2 === 0 })
}

verifies('activity.detections', 'limit is 50 by default, at most 200', async (home) => {
  const start = clock.now() - 3 * 24 * 60 * MINUTE
  record(
    home,
    'garden-weather',
    Array.from({ length: 210 }, (_, index) => start + index * 1_000),
  )
  const count = async (query: Record<string, string>) =>
    (await detectionsOf(home, 'garden-weather', query)).detections.length
  expect([await count({}), await count({ limit: '1' }), await count({ limit: '200' })]).toEqual([50, 1, 200])
  const wrong: readonly Record<string, string>[] = [
    { limit: '0' },
    { limit: '201' },
    { limit: 'many' },
    { cursor: 'invented' },
    { cursor: '' },
    { from: '5' },
  ]
  for (const query of wrong) expect((await ask(home, 'garden-weather', query)).status, JSON.stringify(query)).toBe(422)
  const narrow = await home.integrate({ expose: ['room:garden'] })
  const [hidden, never] = await Promise.all([
    ask(home, 'landing-sensor', {}, narrow),
    ask(home, 'never-was', {}, narrow),
  ])
  expect([hidden.status, hidden.text]).toEqual([404, never.text])
})

verifies(
  ['activity.cursor', '4.detections'],
  'a cursor neither loses nor repeats detections while new ones arrive',
  async (home) => {
    const unit = home.transport === 'http' ? 'bedroom-climate' : 'bathroom-climate'
    const start = clock.now() - 24 * 60 * MINUTE
    // Some have the same time.
    const ats = Array.from({ length: 90 }, (_, index) => start + Math.floor(index / 3) * 500)
    record(home, unit, ats)
    const got: { at: number; kind: string; value: boolean }[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const query: Record<string, string> = { limit: '8', ...(cursor === null ? {} : { cursor }) }
      const { detections, nextCursor }: Detections = await detectionsOf(home, unit, query)
      got.push(...detections)
      cursor = nextCursor
      pages++
      record(home, unit, [clock.now() + pages, clock.now() + pages])
    } while (cursor !== null)
    const past = got.filter(({ at }) => at <= start + 90_000)
    expect(past.map(({ at }) => at)).toEqual(ats.toReversed())
    expect(past.map(({ value }) => value)).toEqual(ats.map((_, index) => index % 2 === 0).toReversed())
    // Detections that arrived meanwhile are new and outside the page.
    expect(got).toHaveLength(past.length)
    expect(pages).toBeGreaterThan(10)
  },
)

verifies(
  ['4.detections', 'activity.detections'],
  'an integration with only some gangs of a module sees no detections of its sensor',
  async (home) => {
    const narrow = await home.integrate({ expose: ['gang:entrance-panel:2'] })
    home.running.sim.motion('hall')
    await clock.pass(2 * SECOND)
    expect((await detectionsOf(home, 'entrance-panel')).detections.length).toBeGreaterThan(0)
    for (const local of ['entrance-panel', 'entrance-panel:2'])
      expect((await ask(home, local, {}, narrow)).body).toMatchObject({ detections: [], nextCursor: null })
    expect(await sensorsOf(home, narrow)).toEqual([])
  },
)
