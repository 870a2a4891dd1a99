import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PERIODS = ['hour', 'day', 'week', 'month', 'year'] as const

interface Answer {
  readonly scope: string
  readonly from: number
  readonly to: number
  readonly energy: number
  readonly cost: number | null
  readonly currency: string
  readonly tariff: string | null
  readonly series: readonly { readonly at: number; readonly energy: number; readonly cost: number | null }[]
}
type Query = Readonly<Record<string, string | number>>

const ask = (home: TestHome, query: Query, who: TestIntegration = home.main): Promise<RawAnswer> =>
  home.call({
    method: 'GET',
    path: '/v1/energy',
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    token: who.token,
  })

async function energy(home: TestHome, query: Query, who: TestIntegration = home.main): Promise<Answer> {
  const answer = await ask(home, query, who)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as Answer
}

const turn = (home: TestHome, local: string, on: boolean) =>
  clock.hasten(home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } }))
const berlin = (at: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hourCycle: 'h23', ...options }).format(at)

async function tariff(home: TestHome, content: object): Promise<void> {
  const file = join(home.running.dataDir, 'tariff.json')
  writeFileSync(file, JSON.stringify(content))
  const [ran] = await Promise.all([hm(home.running.dataDir, 'tariff', 'set', file), clock.pass(5_000)])
  expect(ran).toMatchObject({ code: 0 })
}

/** Energy of every device on each of the last days, so that no period is empty. */
function past(home: TestHome): void {
  const { energy: tariffs, house } = home.running.gateway.home
  for (const [index, { key, class: its }] of [...house.devices.values()].entries()) {
    if (its === 'gang_module' || its === 'sensor') continue
    for (let day = 1; day <= 60; day += 7)
      tariffs.addPast(key, 1_000 * (index + 1) + day, clock.now() - day * DAY, clock.now() - day * DAY + 3 * HOUR)
    tariffs.addPast(key, 777 * (index + 1), clock.now() - 50 * MINUTE, clock.now() - MINUTE)
  }
}

verifies(
  ['4.energy', 'energy.fields', 'energy.no-tariff'],
  'the energy of a device comes from the counter of its unit; without a tariff cost is null',
  async (home) => {
    await hm(home.running.dataDir, 'tariff', 'clear')
    await turn(home, 'guest-light', true)
    await passTime(home, clock, 16 * MINUTE)
    const from = clock.now()
    const scope = `device:${home.id('guest-light')}`
    const before = await energy(home, { scope, period: 'year' })
    await passTime(home, clock, 60 * MINUTE)
    const answer = await energy(home, { scope, period: 'year' })
    // A lamp of 26 W, for an hour; units report whole watt-hours.
    expect(answer.energy - before.energy).toBeGreaterThan(23)
    expect(answer.energy - before.energy).toBeLessThan(28)
    expect(Object.keys(answer).toSorted()).toEqual([
      'cost',
      'currency',
      'energy',
      'from',
      'house',
      'scope',
      'series',
      'tariff',
      'to',
    ])
    expect(answer).toMatchObject({ house: 'Sonnenwinkel', scope, cost: null, currency: 'EUR', tariff: null })
    expect(answer.series.every(({ cost }) => cost === null)).toBe(true)
    const range = await energy(home, { scope, from: from - 15 * MINUTE, to: clock.now() })
    expect(range).toMatchObject({ from: from - 15 * MINUTE })
    expect(range.energy).toBeGreaterThan(25)
    await turn(home, 'guest-light', false)
  },
)

/** The hour, day, month and year of a moment, as calendars and clocks in Berlin show them. */
const currentIn = (at: number) => ({
  hour: berlin(at, { hour: '2-digit' }),
  day: berlin(at, { dateStyle: 'short' }),
  month: berlin(at, { month: 'long' }),
  year: berlin(at, { year: 'numeric' }),
})

verifies(
  'energy.periods',
  'a period is the current one of the home’s calendar, up to now, and its series adds up',
  async (home) => {
    past(home)
    const now = clock.now()
    const starts = { ...currentIn(now), week: 'Monday' }
    for (const period of PERIODS) {
      const { from, to, series, energy: total } = await energy(home, { period })
      expect(Math.abs(to - now)).toBeLessThan(5 * MINUTE)
      expect({ ...currentIn(from), week: berlin(from, { weekday: 'long' }) }[period], period).toBe(starts[period])
      expect(berlin(from, { minute: '2-digit' })).toMatch(/^0/)
      if (period !== 'hour') expect(berlin(from, { timeStyle: 'short' })).toBe('00:00')
      if (period === 'month' || period === 'year') expect(berlin(from, { day: 'numeric' })).toBe('1')
      if (period === 'year') expect(berlin(from, { month: 'numeric' })).toBe('1')
      expect(series.reduce((sum, point) => sum + point.energy, 0)).toBeCloseTo(total, 6)
      expect(series[0]?.at).toBe(from)
      expect(series.map(({ at }) => at)).toEqual(series.map(({ at }) => at).toSorted((a, b) => a - b))
      expect(series.length).toBeGreaterThan(0)
      expect(series.length).toBeLessThan(120)
    }
    expect(await energy(home, {})).toMatchObject({ scope: 'house', from: (await energy(home, { period: 'day' })).from })
  },
)

interface Place {
  readonly id: string
  readonly rooms: readonly { readonly id: string }[]
}
interface House {
  readonly floors: readonly Place[]
  readonly rooms: readonly { readonly id: string }[]
  readonly units: readonly {
    readonly id: string
    readonly gangs?: readonly { readonly id: string; readonly room: string | null }[]
  }[]
}

/** House = floors + rooms on no floor + units in no room; each floor = its rooms; for every period. */
async function addsUp(home: TestHome, who: TestIntegration): Promise<number> {
  const house = (await home.get('/v1/house', who.token)) as unknown as House
  let year = 0
  for (const period of PERIODS) {
    const of = async (scope: string): Promise<number> => (await energy(home, { scope, period }, who)).energy
    const all = async (scopes: readonly string[]): Promise<number> =>
      (await Promise.all(scopes.map(of))).reduce((sum, part) => sum + part, 0)
    const alone = house.units.flatMap(({ id, gangs }) =>
      gangs ? gangs.filter(({ room }) => room === null).map((gang) => gang.id) : [id],
    )
    const total = await of('house')
    const parts = await all([
      ...house.floors.map(({ id }) => `floor:${id}`),
      ...house.rooms.map(({ id }) => `room:${id}`),
      ...alone.map((id) => `device:${id}`),
    ])
    expect(parts, period).toBeCloseTo(total, 3)
    for (const floor of house.floors)
      expect(await all(floor.rooms.map(({ id }) => `room:${id}`)), period).toBeCloseTo(await of(`floor:${floor.id}`), 3)
    year = total
  }
  return year
}

verifies(
  ['4.energy-sum', '4.energy'],
  'the house is the sum of its floors, rooms on no floor and units in no room, also for a part of it',
  { tags: ['long'] },
  async (home) => {
    past(home)
    // Counting pauses while the sums are computed.
    const all = await addsUp(home, home.main)
    expect(all).toBeGreaterThan(0)
    for (const expose of [
      ['floor:ground-floor'],
      ['room:kitchen', 'room:garden', 'unit:study-light'],
      ['gang:kitchen-panel:1', 'gang:entrance-panel:0', 'unit:house-meter'],
    ]) {
      const part = await addsUp(home, await home.integrate({ expose }))
      expect(part, expose.join(' ')).toBeGreaterThan(0)
      expect(part, expose.join(' ')).toBeLessThan(all)
    }
  },
)

verifies('4.energy-sum', 'a Selected house is the sum of its exposed devices, to the milliwatt-hour', async (home) => {
  past(home)
  const locals = ['study-light', 'living-tv', 'bathroom-panel:1']
  const narrow = await home.integrate({ expose: ['unit:study-light', 'unit:living-tv', 'gang:bathroom-panel:1'] })
  const range = { from: clock.now() - 40 * DAY, to: clock.now() - DAY }
  const energies = await Promise.all(
    locals.map(async (local) => (await energy(home, { scope: `device:${home.id(local)}`, ...range })).energy),
  )
  expect((await energy(home, range, narrow)).energy).toBeCloseTo(
    energies.reduce((sum, one) => sum + one, 0),
    3,
  )
})

verifies(
  ['energy.tariff', 'energy.standing', '4.energy'],
  'with a tariff each hour has the price of its time; only the house has the standing charge',
  async (home) => {
    await hm(home.running.dataDir, 'tariff', 'clear')
    const scope = `device:${home.id('house-meter')}`
    const { energy: tariffs } = home.running.gateway.home
    // Two kilowatt-hours about noon and three after midnight, by the clocks of Berlin in summer and in winter, on a
    // Wednesday.
    const back = clock.now() - 100 * DAY
    const noon = Math.floor(back / DAY) * DAY + ((10 - new Date(back).getUTCDay()) % 7) * DAY + 11 * HOUR
    const night = noon + 12 * HOUR
    const range = { from: noon - 2 * HOUR, to: night + 2 * HOUR }
    const known = (await energy(home, { scope, ...range })).energy
    tariffs.addPast('house-meter', 2_000_000, noon, noon + HOUR)
    tariffs.addPast('house-meter', 3_000_000, night, night + HOUR)
    const times = known / 5_000 + 1
    expect(await energy(home, { scope, ...range })).toMatchObject({ energy: 5_000 * times, cost: null, tariff: null })

    await tariff(home, { name: 'Flat', rates: [{ price: 0.3 }] })
    expect(await energy(home, { scope, ...range })).toMatchObject({
      cost: 1.5 * times,
      currency: 'EUR',
      tariff: 'Flat',
    })

    await tariff(home, {
      name: 'Day and night',
      standingPerDay: 0.48,
      rates: [
        { name: 'Night', price: 0.2, from: '22:00', to: '06:00' },
        { name: 'Weekend', price: 9, days: ['sat', 'sun'] },
        { name: 'Day', price: 0.4 },
      ],
    })
    const cost = 2 * 0.4 * times + 3 * 0.2 * times
    const answer = await energy(home, { scope, ...range })
    expect(answer).toMatchObject({ tariff: 'Day and night' })
    expect(answer.cost).toBeCloseTo(cost, 6)
    expect(answer.series.reduce((sum, point) => sum + (point.cost ?? 0), 0)).toBeCloseTo(cost, 6)
    // The house has the standing charge of its 16 hours in addition to the cost of its devices.
    const house = await energy(home, range)
    const charge = 0.48 * (16 / 24)
    expect((house.cost ?? 0) - (await energy(home, { ...range, scope }, home.main)).cost!).toBeCloseTo(charge, 6)
    for (const expose of [['scene:dinner'], ['floor:ground-floor']]) {
      const part = await home.integrate({ expose })
      const free = await home.integrate({ expose: ['scene:dinner'] })
      const { cost, energy: used } = await energy(home, range, part)
      expect(cost! - ((await energy(home, range, free)).cost ?? 0)).toBeLessThan((used / 1_000) * 0.4 + 1e-6)
      expect((await energy(home, range, free)).cost).toBe(0)
    }
    expect((await hm(home.running.dataDir, 'tariff', 'show')).out).toContain('Day and night')
    const bad = join(home.running.dataDir, 'bad.json')
    writeFileSync(bad, JSON.stringify({ name: 'Bad', rates: [{ price: -1 }] }))
    expect(await hm(home.running.dataDir, 'tariff', 'set', bad)).toMatchObject({
      code: 1,
      err: expect.stringContaining('price'),
    })
    await hm(home.running.dataDir, 'tariff', 'clear')
    await clock.pass(5_000)
    expect(await energy(home, { scope, ...range })).toMatchObject({ cost: null, tariff: null })
  },
)

verifies('4.energy', 'a hidden scope is 404, and a wrong parameter 422', async (home) => {
  const narrow = await home.integrate({ expose: ['room:kitchen'] })
  for (const [kind, local] of [
    ['room', 'room:hall'],
    ['floor', 'floor:ground-floor'],
    ['device', 'hall-light'],
  ] as const) {
    const [hidden, never] = await Promise.all(
      [local, `${kind === 'device' ? '' : `${kind}:`}never-was`].map((id) =>
        ask(home, { scope: `${kind}:${home.id(id, narrow)}` }, narrow),
      ),
    )
    expect([hidden!.status, hidden!.text]).toEqual([404, never!.text])
  }
  const wrong: readonly Query[] = [
    { scope: 'garden' },
    { scope: '' },
    { scope: 'house:all' },
    { period: 'decade' },
    { period: 'day', from: 5 },
    { from: 9, to: 5 },
    { from: 'yesterday' },
    { unit: 'kWh' },
  ]
  for (const query of wrong) {
    expect((await ask(home, query)).status, JSON.stringify(query)).toBe(422)
  }
})
