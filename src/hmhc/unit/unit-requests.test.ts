import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BusReport } from '../../home/ports/unit-bus.ts'
import type { ManualClock } from '#support/clocks/manual-clock.ts'
import type { MockAdapter } from '#support/bus/mock-adapter.ts'
import { bri, dimmer, LAMP, obedient, startedMockBus } from '#support/bus/mock-bus.ts'
import type { HmhcBus } from './hmhc-bus.ts'

let clock: ManualClock
let adapter: MockAdapter
let bus: HmhcBus
let reports: BusReport[]
beforeEach(async () => {
  ;({ clock, adapter, bus, reports } = await startedMockBus())
})
afterEach(() => bus.stop())

describe('control', () => {
  it('returns the confirmed state of the unit', async () => {
    adapter.answer = obedient
    expect(await bus.control(LAMP, bri(50), 'person')).toEqual({ ok: true, value: { on: true, bri: 50, mode: 'auto' } })
  })

  it('distinguishes unknown units, unknown gangs and refusals', async () => {
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

  it('ignores a state of another class', async () => {
    adapter.answer = (message) =>
      message.name === 'control'
        ? { name: 'control', result: 'done', class: 'lock', state: { locked: false } }
        : undefined
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual({ ok: false, error: { kind: 'no_answer' } })
  })

  it('sends only the newest of many waiting brightnesses, and answers all with it', async () => {
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
    expect(adapter.requests('control').map((message) => message.name === 'control' && message.command)).toEqual([
      bri(1),
      bri(40),
    ])
  })

  it('collapses nothing across another command for the same lamp', async () => {
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
    expect(adapter.requests('control').map((message) => message.name === 'control' && message.command)).toEqual([
      bri(1),
      bri(10),
      off,
      bri(20),
    ])
  })

  it('opens the breaker of a unit after three silences, for half a minute, and reports the unit as lost', async () => {
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
    const executed = adapter.executed.length
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual(silent(29_999))
    expect(adapter.executed).toHaveLength(executed)
    // An attempt after half a minute fails: the next follows a minute later.
    await clock.advanceAsync(30_000)
    expect(await bus.control(LAMP, bri(1), 'person')).toEqual(silent(60_000))
    const tried = adapter.executed.filter(({ message }) => message.name === 'control').length
    adapter.answer = obedient
    await clock.advanceAsync(31_000)
    expect(await bus.control(LAMP, bri(2), 'person')).toMatchObject({ ok: false })
    expect(adapter.requests('control')).toHaveLength(tried)
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

  it('keeps the order of the wire between a reply and a later report', async () => {
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
  it('sends one frame for many, keeps their order and returns each result', async () => {
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
    expect(adapter.requests('group_control')).toHaveLength(1)
  })
})
