import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BusReport } from '../../home/ports/unit-bus.ts'
import { silentLog } from '../../lib/log.ts'
import { SeededRandom } from '../../sim/seeded-random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { MockAdapter } from '#support/bus/mock-adapter.ts'
import type { Reply, Request } from '../message/messages.ts'
import { BACKGROUND_A_MINUTE, BACKGROUND_AT_ONCE } from '../exchange/admission.ts'
import { registerMap } from '../registers/index.ts'
import { HmhcBus } from './hmhc-bus.ts'
import { PAUSE_AFTER_TROUBLE_MS } from './unit-connection.ts'

const LAMP = { address: 17, gang: null }
const dimmer = (bri: number) => ({ class: 'light_dimmer', state: { on: bri > 0, bri, mode: 'auto' } }) as const
const bri = (level: number) => ({ op: 'set_brightness', args: { bri: level } }) as const

let clock: ManualClock
let adapter: MockAdapter
let bus: HmhcBus
let reports: BusReport[]

beforeEach(async () => {
  clock = new ManualClock()
  adapter = new MockAdapter(clock)
  adapter.addUnit({ address: 17, class: 'light_dimmer', model: 'HMHH' }, { state: dimmer(30) })
  adapter.addUnit(
    { address: 18, class: 'light_switch', model: 'HMHHX1' },
    { state: { class: 'light_switch', state: { on: true, mode: 'auto' } } },
  )
  adapter.addUnit(
    {
      address: 300,
      class: 'gang_module',
      model: 'HMHHX2',
      gangs: [
        { gang: 0, class: 'switch_gang' },
        { gang: 1, class: 'shutter_gang' },
      ],
    },
    { gang: 0, state: { class: 'switch_gang', state: { on: false, mode: 'auto' } } },
    { gang: 1, state: { class: 'shutter_gang', state: { pos: 40, move: 'stopped', mode: 'auto' } } },
  )
  adapter.addUnit(
    { address: 70, class: 'sensor', model: 'HMSE' },
    { state: { class: 'sensor', state: { temperature: 21.5, motion: false } } },
  )
  bus = new HmhcBus({
    openPort: adapter.openPort,
    clock,
    random: new SeededRandom('bus'),
    log: silentLog,
    registers: registerMap,
    utcOffset: () => 60,
  })
  reports = []
  bus.onReport((report) => reports.push(report))
  bus.start()
  await clock.advanceAsync(20)
})
afterEach(() => bus.stop())

const executed = (name: Request['name']) =>
  adapter.executed.filter((one) => one.message.name === name).map((one) => one.message)
/** Answers controls with what they ask for, for the lamp. */
const obedient = (message: Request): Reply | undefined =>
  message.name === 'control' && message.command.op === 'set_brightness'
    ? { name: 'control', result: 'done', ...dimmer(message.command.args.bri) }
    : undefined

describe('connecting', () => {
  it('lists the units, sets their clock and reads every state', () => {
    expect(bus.down).toBeNull()
    expect([...bus.units.keys()]).toEqual([17, 18, 70, 300])
    expect(reports).toEqual([
      { kind: 'link', down: null },
      { kind: 'state', target: LAMP, state: { on: true, bri: 30, mode: 'auto' }, trigger: 'sync' },
      { kind: 'state', target: { address: 18, gang: null }, state: { on: true, mode: 'auto' }, trigger: 'sync' },
      { kind: 'readings', address: 70, readings: { temperature: 21.5, motion: false } },
      { kind: 'state', target: { address: 300, gang: 0 }, state: { on: false, mode: 'auto' }, trigger: 'sync' },
      {
        kind: 'state',
        target: { address: 300, gang: 1 },
        state: { pos: 40, move: 'stopped', mode: 'auto' },
        trigger: 'sync',
      },
    ])
    expect(executed('set_clock')).toEqual([{ name: 'set_clock', epoch: Date.UTC(2027, 0, 1) / 1_000, offset: 60 }])
    expect(bus.counters()).toMatchObject({ sessions: 1, statesOutstanding: 0, discardedBytes: 0, retries: 0 })
  })

  it('is unavailable at once while the line is gone, and reads everything again when it is back', async () => {
    adapter.unplug()
    expect(bus.down).toBe('port')
    expect(await bus.control(LAMP, bri(50), 'person')).toEqual({
      ok: false,
      error: { kind: 'unavailable', retryMs: expect.any(Number) as number },
    })
    reports.length = 0
    adapter.states.set('17:null', dimmer(80))
    await clock.advanceAsync(20_000)
    adapter.plugged = true
    await clock.advanceAsync(3_000)
    expect(bus.down).toBeNull()
    expect(reports).toContainEqual({
      kind: 'state',
      target: LAMP,
      state: { on: true, bri: 80, mode: 'auto' },
      trigger: 'sync',
    })
    expect(reports[0]).toEqual({ kind: 'link', down: null })
  })

  it('fails what is under way when the line breaks, once', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const result = bus.control(LAMP, bri(50), 'person')
    await clock.advanceAsync(10)
    adapter.unplug()
    expect(await result).toEqual({ ok: false, error: { kind: 'unavailable', retryMs: expect.any(Number) as number } })
    expect(executed('control')).toHaveLength(1)
  })

  it('notices a silent adapter within a second, and opens the line anew until it answers', async () => {
    const portsBefore = adapter.ports
    adapter.silent = true
    await clock.advanceAsync(1_000)
    expect(bus.down).toBe('silent')
    await clock.advanceAsync(10_000)
    expect(adapter.ports).toBeGreaterThan(portsBefore)
    expect(reports.filter((report) => report.kind === 'link')).toEqual([
      { kind: 'link', down: null },
      { kind: 'link', down: 'silent' },
    ])
    adapter.silent = false
    await clock.advanceAsync(3_000)
    expect(bus.down).toBeNull()
  })

  it('carries a request over a short break of the session, once', async () => {
    let broke = false
    adapter.answer = (message) => {
      if (message.name !== 'control' || broke) return obedient(message)
      broke = true
      // The reply is ready, but the session that would carry it is gone.
      clock.after(1, () => adapter.dropSession())
      return obedient(message)
    }
    adapter.toHost = (bytes, arrive) => {
      if (!broke || bytes.length < 12) arrive(bytes)
    }
    const result = bus.control(LAMP, bri(50), 'person')
    await clock.advanceAsync(2)
    adapter.toHost = (bytes, arrive) => arrive(bytes)
    await clock.advanceAsync(600)
    expect(await result).toEqual({ ok: true, value: { on: true, bri: 50, mode: 'auto' } })
    expect(executed('control')).toHaveLength(1)
    expect(reports.filter((report) => report.kind === 'link')).toHaveLength(1)
  })

  it('fails what was under way when the adapter restarts, since it may have forgotten it', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const result = bus.control(LAMP, bri(50), 'person')
    await clock.advanceAsync(10)
    adapter.restart()
    await clock.advanceAsync(50)
    expect(await result).toEqual({ ok: false, error: { kind: 'unavailable' } })
    expect(bus.down).toBeNull()
  })

  it('says when the radio is down, and fails at once until it is up', async () => {
    adapter.report({ name: 'radio', up: false })
    expect(bus.down).toBe('radio')
    expect(await bus.control(LAMP, bri(50), 'person')).toEqual({ ok: false, error: { kind: 'unavailable' } })
    adapter.report({ name: 'radio', up: true })
    expect(bus.down).toBeNull()
  })

  it('sets the clock again when local time jumps', async () => {
    bus.stop()
    let offset = 60
    const again = new HmhcBus({
      openPort: adapter.openPort,
      clock,
      random: new SeededRandom('bus'),
      log: silentLog,
      registers: registerMap,
      utcOffset: () => offset,
    })
    again.start()
    await clock.advanceAsync(100)
    const before = executed('set_clock').length
    await clock.advanceAsync(120_000)
    expect(executed('set_clock')).toHaveLength(before)
    offset = 120
    await clock.advanceAsync(60_000)
    expect(executed('set_clock').at(-1)).toMatchObject({ offset: 120 })
    again.stop()
  })
})

describe('control', () => {
  it('answers with what the unit confirmed', async () => {
    adapter.answer = obedient
    expect(await bus.control(LAMP, bri(50), 'person')).toEqual({ ok: true, value: { on: true, bri: 50, mode: 'auto' } })
  })

  it('distinguishes unknown units, gangs that are not there and refusals', async () => {
    expect(await bus.control({ address: 99, gang: null }, bri(1), 'person')).toEqual({
      ok: false,
      error: { kind: 'unknown_unit' },
    })
    expect(await bus.control({ address: 300, gang: 5 }, { op: 'open' }, 'person')).toMatchObject({
      error: { kind: 'refused' },
    })
    adapter.answer = () => ({ name: 'control', result: 'refused', detail: 'protection', info: 0 })
    const detail = 'the unit protects itself from overload or heat'
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual({ ok: false, error: { kind: 'refused', detail } })
    adapter.answer = () => ({ name: 'control', result: 'busy', retryMs: 400 })
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual({ ok: false, error: { kind: 'busy', retryMs: 400 } })
  })

  it('takes no state of another class for an answer', async () => {
    adapter.answer = (message) =>
      message.name === 'control'
        ? { name: 'control', result: 'done', class: 'lock', state: { locked: false } }
        : undefined
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual({ ok: false, error: { kind: 'no_answer' } })
  })

  it('sends of many waiting brightnesses the newest, and answers all with it', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const first = bus.control(LAMP, bri(1), 'person')
    await clock.advanceAsync(5)
    adapter.answer = obedient
    const waiting = [10, 20, 30, 40].map((level) => bus.control(LAMP, bri(level), 'automation'))
    await clock.advanceAsync(4_100)
    expect(await first).toEqual({ ok: false, error: { kind: 'no_answer' } })
    expect(await Promise.all(waiting)).toEqual(
      waiting.map(() => ({ ok: true, value: { on: true, bri: 40, mode: 'auto' } })),
    )
    expect(executed('control').map((message) => message.name === 'control' && message.command)).toEqual([
      bri(1),
      bri(40),
    ])
  })

  it('collapses nothing across another wish for the same lamp', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    void bus.control(LAMP, bri(1), 'person')
    await clock.advanceAsync(5)
    adapter.answer = (message) =>
      message.name === 'control' ? { name: 'control', result: 'done', ...dimmer(5) } : undefined
    const off = { op: 'set_power', args: { on: false } } as const
    const rest = [
      bus.control(LAMP, bri(10), 'automation'),
      bus.control(LAMP, off, 'automation'),
      bus.control(LAMP, bri(20), 'person'),
    ]
    await clock.advanceAsync(4_100)
    await Promise.all(rest)
    expect(executed('control').map((message) => message.name === 'control' && message.command)).toEqual([
      bri(1),
      bri(10),
      off,
      bri(20),
    ])
  })

  it('gives up on a unit that was silent three times, for half a minute, and reports that it is lost', async () => {
    adapter.answer = (message) =>
      'address' in message && message.address === 17 ? { name: message.name, result: 'no_answer' } : undefined
    const silent = (retryMs?: number) => ({
      ok: false,
      error: { kind: 'no_answer', ...(retryMs === undefined ? {} : { retryMs }) },
    })
    for (const retryMs of [undefined, undefined, 30_000])
      expect(await bus.control(LAMP, bri(1), 'person')).toEqual(silent(retryMs))
    await clock.advanceAsync(1)
    expect(reports.at(-1)).toMatchObject({ kind: 'unit', change: 'lost', unit: { address: 17, reachable: false } })
    const asked = adapter.executed.length
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual(silent(29_999))
    expect(adapter.executed).toHaveLength(asked)
    // One try after half a minute is in vain: the next comes a minute later.
    await clock.advanceAsync(30_000)
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual(silent(60_000))
    const tried = adapter.executed.filter(({ message }) => message.name === 'control').length
    adapter.answer = obedient
    await clock.advanceAsync(31_000)
    expect(await bus.control(LAMP, bri(2), 'person')).toMatchObject({ ok: false })
    expect(executed('control')).toHaveLength(tried)
    await clock.advanceAsync(30_000)
    expect(await bus.control(LAMP, bri(2), 'person')).toMatchObject({ ok: true })
    await clock.advanceAsync(1)
    expect(reports).toContainEqual(expect.objectContaining({ kind: 'unit', change: 'back' }))
  })

  it('lets a person overtake the background, and keeps a place free', async () => {
    adapter.answer = (message) => (message.name === 'read_registers' ? null : obedient(message))
    const reads = Array.from({ length: 10 }, () => bus.readRegisters({ address: 18, gang: null }, 'background'))
    const more = [bus.readRegisters(LAMP, 'background'), bus.readRegisters({ address: 300, gang: null }, 'background')]
    await clock.advanceAsync(5)
    const other = await Promise.race([bus.ping(70, 'person'), Promise.all(reads)])
    expect(other).toEqual({ ok: true, value: null })
    await clock.advanceAsync(200_000)
    await Promise.all([...reads, ...more])
  })

  it('keeps the order of the wire between a reply and a report behind it', async () => {
    const order: string[] = []
    adapter.answer = (message) => {
      if (message.name !== 'control') return undefined
      return { name: 'control', result: 'done', ...dimmer(50) }
    }
    bus.onReport((report) => {
      if (report.kind === 'state' && report.trigger === 'touch') order.push('touched')
    })
    // Both frames reach the gateway in one piece.
    const pieces: Uint8Array[] = []
    let collecting = true
    adapter.toHost = (bytes, arrive) => {
      pieces.push(bytes)
      if (!collecting) for (const piece of pieces.splice(0)) arrive(piece)
    }
    const done = bus.control(LAMP, bri(50), 'person').then(() => order.push('answered'))
    collecting = false
    adapter.report({ name: 'state_changed', address: 17, gang: null, trigger: 'touch', ...dimmer(0) })
    await clock.advanceAsync(300)
    await done
    expect(order).toEqual(['answered', 'touched'])
  })
})

describe('groups', () => {
  it('sends one frame for many, keeps order and answers each result', async () => {
    const closing = { class: 'shutter_gang', state: { pos: 40, move: 'closing', mode: 'manual' } } as const
    adapter.answer = (message) => {
      if (message.name !== 'group_control') return undefined
      return {
        name: 'group_control',
        result: 'done',
        results: message.members.map(({ address, gang }) =>
          address === 18
            ? { address, gang, result: 'no_answer' as const }
            : { address, gang, result: 'done' as const, ...(address === 17 ? dimmer(20) : closing) },
        ),
      }
    }
    const results = await bus.controlGroup(
      [
        { target: { address: 300, gang: 1 }, command: { op: 'close' } },
        { target: { address: 99, gang: null }, command: { op: 'close' } },
        { target: { address: 18, gang: null }, command: { op: 'set_power', args: { on: false } } },
        { target: LAMP, command: bri(20) },
      ],
      'automation',
    )
    expect(results).toEqual([
      { ok: true, value: { pos: 40, move: 'closing', mode: 'manual' } },
      { ok: false, error: { kind: 'unknown_unit' } },
      { ok: false, error: { kind: 'no_answer' } },
      { ok: true, value: { on: true, bri: 20, mode: 'auto' } },
    ])
    expect(executed('group_control')).toHaveLength(1)
  })
})

describe('settings and schedules', () => {
  it('reads settings by name, and writes them by name', async () => {
    adapter.answer = (message) => {
      if (message.name === 'read_registers') {
        return {
          name: message.name,
          result: 'done',
          registers: message.registers.map((number) => [number, number + 1] as const),
        }
      }
      return message.name === 'write_registers'
        ? { name: message.name, result: 'done', registers: message.registers }
        : undefined
    }
    const read = await bus.readRegisters(LAMP, 'person')
    const names = registerMap.list('HMHH', 'unit')
    expect(read).toEqual({
      ok: true,
      value: Object.fromEntries(names.map((name) => [name, (registerMap.numberOf('HMHH', 'unit', name) ?? 0) + 1])),
    })
    const [name = ''] = names
    expect(await bus.writeRegisters(LAMP, { [name]: 7 }, 'person')).toEqual({ ok: true, value: { [name]: 7 } })
    expect(await bus.writeRegisters(LAMP, { nonsense: 7 }, 'person')).toMatchObject({ error: { kind: 'refused' } })
  })

  it("reads all pages of a unit's own schedules", async () => {
    adapter.answer = (message) => {
      if (message.name !== 'read_schedules') return undefined
      const slot = message.from === 0 ? 3 : 9
      const schedule = {
        slot,
        enabled: true,
        gang: null,
        days: [1, 7],
        time: '06:30',
        command: { op: 'set_power', args: { on: true } },
      } as const
      return { name: 'read_schedules', result: 'done', next: slot === 3 ? 4 : 255, schedules: [schedule] }
    }
    const base = { enabled: true, gang: null, days: [1, 7], time: '06:30', op: 'set_power', args: { on: true } }
    expect(await bus.readSchedules(17, 'person')).toEqual({
      ok: true,
      value: [
        { slot: 3, ...base },
        { slot: 9, ...base },
      ],
    })
  })
})

describe('the air time of background requests', () => {
  const MINUTE = 60_000
  let times: number[]

  /** Reads one unit after the other in the background, as often as the bus lets it, and notes when each frame went. */
  async function readOn(): Promise<void> {
    while (bus.down === null) await bus.readSchedules(18, 'background')
  }

  beforeEach(() => {
    times = []
    adapter.answer = (message) => {
      if (message.name !== 'read_schedules') return undefined
      times.push(clock.monotonic())
      return { name: 'read_schedules', result: 'done', schedules: [], next: 0xff }
    }
  })
  it('holds its budget, however much is to be read', async () => {
    const start = clock.monotonic()
    void readOn()
    await clock.advanceAsync(10 * MINUTE)
    expect(times.length).toBe(BACKGROUND_AT_ONCE + 10 * BACKGROUND_A_MINUTE)
    for (let from = start; from < start + 10 * MINUTE; from += MINUTE / 2) {
      expect(times.filter((at) => at >= from && at < from + MINUTE).length).toBeLessThanOrEqual(
        BACKGROUND_AT_ONCE + BACKGROUND_A_MINUTE,
      )
    }
  })

  it('is none for a while after the radio was in trouble', async () => {
    adapter.report({ name: 'trouble', trouble: 'duty_limit' })
    void readOn()
    await clock.advanceAsync(PAUSE_AFTER_TROUBLE_MS - 1_000)
    expect(times).toEqual([])
    await clock.advanceAsync(5_000)
    expect(times.length).toBeGreaterThan(0)
  })

  it('takes nothing from people', async () => {
    adapter.report({ name: 'trouble', trouble: 'jammed' })
    expect(await bus.readSchedules(18, 'person')).toEqual({ ok: true, value: [] })
  })
})

describe('reports', () => {
  it('passes on what fits the units', async () => {
    reports.length = 0
    adapter.report({
      name: 'state_changed',
      address: 300,
      gang: 0,
      trigger: 'touch',
      class: 'switch_gang',
      state: { on: true, mode: 'manual' },
    })
    adapter.report({ name: 'detection', address: 70, detection: 'motion', value: true })
    adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60.5 })
    adapter.report({ name: 'trouble', trouble: 'jammed' })
    await clock.advanceAsync(1)
    expect(reports).toEqual([
      { kind: 'state', target: { address: 300, gang: 0 }, state: { on: true, mode: 'manual' }, trigger: 'touch' },
      { kind: 'detection', address: 70, detection: 'motion', value: true },
      { kind: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60.5 },
      { kind: 'trouble', trouble: 'jammed' },
    ])
  })

  it('drops and counts what does not, and reads the list of units again', async () => {
    reports.length = 0
    adapter.report({ name: 'state_changed', address: 999, gang: null, trigger: 'touch', ...dimmer(1) })
    adapter.report({ name: 'state_changed', address: 18, gang: null, trigger: 'touch', ...dimmer(1) })
    adapter.report({ name: 'energy', address: 18, gang: 3, energyWh: 5, powerW: 60.5 })
    await clock.advanceAsync(1)
    expect(reports).toEqual([])
    expect(bus.counters().implausibleReports).toBe(3)
    adapter.addUnit({ address: 999, class: 'light_dimmer', model: 'HMHH' }, { state: dimmer(1) })
    await clock.advanceAsync(10_100)
    expect(reports).toContainEqual({ kind: 'unit', change: 'joined', unit: expect.objectContaining({ address: 999 }) })
    expect(reports).toContainEqual({
      kind: 'state',
      target: { address: 999, gang: null },
      state: dimmer(1).state,
      trigger: 'sync',
    })
  })

  it('reports lost and back, and reads the state of what is back', async () => {
    reports.length = 0
    const unit = adapter.units.get(17)
    if (unit === undefined) throw new Error('no lamp')
    adapter.report({ name: 'unit', change: 'lost', unit: { ...unit, reachable: false } })
    expect(bus.units.get(17)?.reachable).toBe(false)
    adapter.report({ name: 'unit', change: 'back', unit })
    await clock.advanceAsync(10)
    expect(reports.map((report) => (report.kind === 'unit' ? report.change : report.kind))).toEqual([
      'lost',
      'back',
      'state',
    ])
  })
})

describe('noise', () => {
  it('changes nothing, however much of it', async () => {
    reports.length = 0
    const noise = new SeededRandom('noise')
    for (let burst = 0; burst < 2_000; burst++) {
      adapter.noise(noise.bytes(1_000))
      if (burst % 20 === 0) await clock.advanceAsync(10)
    }
    await clock.advanceAsync(1_000)
    expect(reports).toEqual([])
    expect(bus.down).toBeNull()
    adapter.answer = obedient
    expect(await bus.control(LAMP, bri(50), 'person')).toMatchObject({ ok: true })
  })
})
