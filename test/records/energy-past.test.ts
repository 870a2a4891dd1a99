import { expect } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/durations.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const [TELEVISION, HEATER, DISHWASHER, STUDY, GUEST] = [25, 62, 32, 75, 83]

interface Answer {
  readonly energy: number
  readonly cost: number | null
  readonly gone?: { readonly energy: number; readonly cost: number | null }
}
interface Jump {
  readonly id: number
  readonly device: string
  readonly name: string | null
  readonly energy: number
}

const energy = (home: TestHome, scope: string, who: TestIntegration = home.main, back = 60 * DAY_MS) =>
  home.get(
    `/v1/energy?scope=${encodeURIComponent(scope)}&from=${clock.now() - back}&to=${clock.now() + HOUR_MS}`,
    who.token,
  ) as Promise<unknown> as Promise<Answer>
const run = (home: TestHome, ...args: readonly string[]) => hm(home.running.dataDir, ...args)
const jumps = async (home: TestHome): Promise<readonly Jump[]> =>
  (await home.running.admin.call<{ jumps: Jump[] }>('GET', '/energy/jumps')).jumps

/** The counter that a unit's own report shows, as it arrives over the line. */
async function report(home: TestHome, address: number, energyWh: number, powerW = 0): Promise<void> {
  const { sim, gateway } = home.running
  const arrived = new Promise<void>((resolve) => {
    const stop = gateway.home.events.on((event) => {
      if (event.kind !== 'energy' || event.energyWh !== energyWh) return
      stop()
      resolve()
    })
  })
  sim.house.unit(address)?.report({ kind: 'energy', address, gang: null, energyWh, powerW })
  await home.running.hasten(arrived)
  // A response stores waiting rows.
  gateway.home.energy.answer({ devices: [], range: { from: 0, to: 1 }, standing: false })
}

verifies(
  'energy.jump',
  'a used socket in place of a silent one is not billed until an administrator decides',
  async (home) => {
    const { energy: sums } = home.running.gateway.home
    const scope = `device:${home.id('living-tv')}`
    sums.addPast('living-tv', 2_000_000, clock.now() - 9 * DAY_MS, clock.now() - 8 * DAY_MS)
    sums.take('living-tv', 500_000, clock.now() - 5 * DAY_MS)
    const before = await energy(home, scope)
    await report(home, TELEVISION, 1_821_000)
    await report(home, TELEVISION, 1_821_004)
    expect((await energy(home, scope)).energy).toBeCloseTo(before.energy + 4, 3)

    const waiting = (await jumps(home)).filter(({ device }) => device === 'living-tv')
    expect(waiting).toMatchObject([{ name: 'Television socket', energy: 1_321_000 }])
    const sentence =
      'The counter of Television socket jumped by 1,321 kWh after 5 days without a value. Did the device use that, or is it another meter?'
    expect((await run(home, 'status')).out).toContain(sentence)
    const { attention } = await home.running.admin.call<{ attention: object[] }>('GET', '/status')
    expect(attention).toContainEqual(
      expect.objectContaining({
        kind: 'energy_jump',
        device: 'living-tv',
        jump: String(waiting[0]?.id),
        level: 'attention',
      }),
    )
    expect((await run(home, 'history', 'jumps')).out).toMatch(/living-tv +Television socket +1,321 kWh/)
    expect(await run(home, 'history', 'jump', String(waiting[0]?.id), 'perhaps')).toMatchObject({ code: 1 })
    expect(await run(home, 'history', 'jump', String(waiting[0]?.id), 'other-meter')).toMatchObject({ code: 0 })
    expect((await run(home, 'status')).out).not.toContain('Television socket jumped')
    expect((await energy(home, scope)).energy).toBeCloseTo(before.energy + 4, 3)
    const again = await run(home, 'history', 'jump', String(waiting[0]?.id), 'count')
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('have been answered already') })
    const { entries } = await home.get(`/v1/activity?device=${encodeURIComponent(home.id('living-tv'))}`)
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'edited',
        what: expect.stringMatching(/^jump of the counter by 1,321 kWh from .* left out: it is another meter$/),
        cause: expect.objectContaining({ source: 'person' }),
      }),
    )
  },
)

verifies('energy.jump', 'a counted jump is spread over the silence', async (home) => {
  const { energy: sums } = home.running.gateway.home
  const scope = `device:${home.id('dishwasher')}`
  sums.take('dishwasher', 1_000, clock.now() - 4 * DAY_MS)
  const before = await energy(home, scope)
  await report(home, DISHWASHER, 41_000)
  const jump = (await jumps(home)).find(({ device }) => device === 'dishwasher')
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy, 3)
  await run(home, 'history', 'jump', String(jump?.id), 'count')
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy + 40_000, 3)
})

verifies('energy.replaced', 'a replaced unit begins a new counter', async (home) => {
  const { energy: sums, events } = home.running.gateway.home
  const scope = `device:${home.id('bathroom-heater')}`
  sums.take('bathroom-heater', 100_000, clock.now() - 10 * MINUTE_MS)
  const before = await energy(home, scope)
  events.emit({ kind: 'rebound', unit: 'bathroom-heater', cause: GATEWAY_CAUSE, at: clock.now() })
  await report(home, HEATER, 100_600)
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy, 3)
  await report(home, HEATER, 100_650)
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy + 50, 3)
  expect((await jumps(home)).filter(({ device }) => device === 'bathroom-heater')).toEqual([])
})

verifies('energy.replaced', 'units that swap places in the house file begin new counters', async (home) => {
  const { energy: sums } = home.running.gateway.home
  const { admin } = home.running
  const scopes = ['study-light', 'guest-light'].map((local) => `device:${home.id(local)}`)
  const sum = async (): Promise<readonly number[]> =>
    Promise.all(scopes.map(async (scope) => Math.round((await energy(home, scope)).energy)))
  sums.take('study-light', 100_000, clock.now() - 5 * DAY_MS)
  sums.take('guest-light', 20_000, clock.now() - 5 * DAY_MS)
  const before = await sum()
  const { file } = await admin.call<{ file: string }>('GET', '/house/file')
  const swapped = file
    .replaceAll(/address: (75|83)\b/g, (_, address) => `address: ${address === '75' ? 'second' : '75'}`)
    .replace('second', '83')
  await admin.call('PUT', '/house/file', { file: swapped })
  await report(home, GUEST, 100_900)
  await report(home, STUDY, 100_950)
  expect(await sum()).toEqual(before)
  await report(home, GUEST, 101_000)
  expect(await sum()).toEqual([(before[0] ?? 0) + 100, before[1]])
  expect((await jumps(home)).filter(({ device }) => /^(study|guest)-light$/.test(device))).toEqual([])
  await admin.call('PUT', '/house/file', { file })
})

verifies('energy.correct', 'wrong energy can be previewed, removed and restored', async (home) => {
  const { energy: sums } = home.running.gateway.home
  const scope = `device:${home.id('study-desk')}`
  const day = new Date(clock.now() - 20 * DAY_MS).toISOString().slice(0, 10)
  const next = new Date(clock.now() - 18 * DAY_MS).toISOString().slice(0, 10)
  const at = Date.parse(`${day}T12:00:00Z`)
  sums.addPast('study-desk', 1_321_000_000, at, at + 6 * HOUR_MS)
  const before = await energy(home, scope)
  const house = await energy(home, 'house')
  const range = ['--from', day, '--to', next]
  const dry = await run(home, 'history', 'correct', 'study-desk', ...range, '--dry-run')
  expect(dry).toMatchObject({
    code: 0,
    out: expect.stringContaining('This would remove 1,321 kWh of Desk socket from'),
  })
  expect(dry.out).toContain('No change was made.')
  expect(await energy(home, scope)).toEqual({ ...before, to: expect.anything(), from: expect.anything() })
  const done = await run(home, 'history', 'correct', 'study-desk', ...range)
  expect(done.out).toContain('Removed 1,321 kWh of Desk socket')
  const number = /--undo (\d+)/.exec(done.out)?.[1] ?? ''
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy - 1_321_000, 3)
  expect((await energy(home, 'house')).energy).toBeCloseTo(house.energy - 1_321_000, 0)
  expect((await run(home, 'history', 'corrections')).out).toMatch(/study-desk +1,321 kWh/)
  const { entries } = await home.get(`/v1/activity?device=${encodeURIComponent(home.id('study-desk'))}&kind=edited`)
  expect(entries).toMatchObject([{ what: expect.stringMatching(/^1,321 kWh from .* taken out of its energy$/) }])
  const nothing = await run(home, 'history', 'correct', 'study-desk', ...range)
  expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('no energy of study-desk') })
  expect(await run(home, 'history', 'correct', 'never-was', ...range)).toMatchObject({ code: 1 })
  expect(await run(home, 'history', 'correct', 'study-desk', '--from', next, '--to', day)).toMatchObject({ code: 1 })
  expect((await run(home, 'history', 'correct', '--undo', number)).out).toContain('Restored 1,321 kWh of Desk socket')
  expect((await energy(home, scope)).energy).toBeCloseTo(before.energy, 3)
  expect(await run(home, 'history', 'correct', '--undo', number)).toMatchObject({ code: 1 })
})

/** Runs a function with units removed from the house file, and restores the file. */
async function without(home: TestHome, units: readonly string[], act: () => Promise<void>): Promise<void> {
  const { admin } = home.running
  const { file } = await admin.call<{ file: string }>('GET', '/house/file')
  const remaining = file
    .split(/\n(?= {2}- )/)
    .filter((part) => !units.some((id) => part.startsWith(`  - id: ${id}\n`) || part.includes(`{ id: ${id},`)))
    .join('\n')
  expect(remaining.length).toBeLessThan(file.length)
  await admin.call('PUT', '/house/file', { file: remaining })
  try {
    await act()
  } finally {
    await admin.call('PUT', '/house/file', { file })
  }
}

verifies(
  ['energy.removed', 'activity.removed'],
  'energy and activity of a removed device stay visible with exposure All, and are hidden from a selection',
  async (home) => {
    const { energy: sums, house } = home.running.gateway.home
    const part = await home.integrate({ expose: ['room:shower-room', 'floor:top-floor'] })
    sums.addPast('shower-heater', 7_000_000, clock.now() - 3 * DAY_MS, clock.now() - 2 * DAY_MS)
    sums.addPast('guest-light', 100_000, clock.now() - 3 * DAY_MS, clock.now() - 2 * DAY_MS)
    house.renameDevice({ unit: 'shower-heater', gang: null }, 'Old heater', GATEWAY_CAUSE)
    const id = home.id('shower-heater')
    const scopes = [
      'house',
      `floor:${home.id('floor:top-floor')}`,
      `room:${home.id('room:shower-room')}`,
      `device:${id}`,
    ]
    const before = await Promise.all(scopes.map((scope) => energy(home, scope)))
    expect(before.every(({ gone }) => gone === undefined)).toBe(true)
    const partly = await energy(home, 'house', part)
    await without(home, ['shower-heater'], async () => {
      const after = await Promise.all(scopes.map((scope) => energy(home, scope)))
      for (const [index, answer] of after.entries()) {
        expect(answer.energy, scopes[index]).toBeCloseTo(before[index]?.energy ?? 0, 0)
        expect(answer.gone?.energy, scopes[index]).toBeCloseTo(7_000, 0)
      }
      const { entries } = await home.get(`/v1/activity?device=${encodeURIComponent(id)}`)
      expect(entries).toContainEqual(
        expect.objectContaining({ device: id, what: 'renamed to Old heater', gone: { name: 'Old heater' } }),
      )
      const all = await home.running.admin.call<{ entries: object[] }>('GET', '/activity?device=shower-heater')
      expect(all.entries).toContainEqual(expect.objectContaining({ name: 'Old heater' }))

      const selected = await energy(home, 'house', part)
      expect(selected.gone).toBeUndefined()
      expect(selected.energy).toBeCloseTo(partly.energy - 7_000, 0)
      for (const path of ['/v1/activity?device=', '/v1/energy?scope=device:']) {
        const ask = (local: string, who: TestIntegration) =>
          home.call({
            method: 'GET',
            path: path.split('?')[0] ?? '',
            query: {
              [path.includes('scope') ? 'scope' : 'device']:
                `${path.includes('scope') ? 'device:' : ''}${home.id(local, who)}`,
            },
            token: who.token,
          })
        const [removed, never] = [await ask('shower-heater', part), await ask('never-was', part)]
        expect([removed.status, removed.text]).toEqual([404, never.text])
        expect((await ask('never-was', home.main)).status).toBe(404)
        expect((await ask('shower-heater', home.main)).status).toBe(200)
      }
    })
    // Back in the house it counts in its room again.
    expect((await energy(home, 'house')).gone).toBeUndefined()
  },
)
