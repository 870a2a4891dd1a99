import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BusReport } from '../../home/ports/unit-bus.ts'
import type { ManualClock } from '#support/clocks/manual-clock.ts'
import type { MockAdapter } from '#support/bus/mock-adapter.ts'
import { bri, dimmer, LAMP, obedient, startedMockBus } from '#support/bus/mock-bus.ts'
import { testBus } from '#support/bus/hmhc-bus.ts'
import type { HmhcBus } from './hmhc-bus.ts'

let clock: ManualClock
let adapter: MockAdapter
let bus: HmhcBus
let reports: BusReport[]
beforeEach(async () => {
  ;({ clock, adapter, bus, reports } = await startedMockBus())
})
afterEach(() => bus.stop())

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
    expect(adapter.requests('set_clock')).toEqual([
      { name: 'set_clock', epoch: Date.UTC(2027, 0, 1) / 1_000, offset: 60 },
    ])
    expect(bus.counters()).toMatchObject({ sessions: 1, statesOutstanding: 0, discardedBytes: 0, retries: 0 })
  })

  it('reads every state twice after a start: an earlier command may run after the first read', async () => {
    const readsOfLamp = (): number =>
      adapter.requests('read_state').filter((request) => 'address' in request && request.address === 17).length
    expect(readsOfLamp()).toBe(1)
    adapter.states.set('17:null', dimmer(80))
    await clock.advanceAsync(5_000)
    expect(reports.at(-1)).toMatchObject({ target: { gang: 1 } })
    expect(reports).toContainEqual(
      expect.objectContaining({ target: LAMP, state: { on: true, bri: 80, mode: 'auto' } }),
    )
    await clock.advanceAsync(30_000)
    expect(readsOfLamp()).toBe(2)
    // This process knows its pending requests at the loss of the line.
    adapter.unplug()
    adapter.plugged = true
    await clock.advanceAsync(30_000)
    expect(readsOfLamp()).toBe(3)
  })

  it('reports another model at a known address as joined, and reads it', async () => {
    const unit = { ...bus.units.get(18)!, model: 'HMPH' as const, class: 'power_switch' as const }
    adapter.report({ name: 'unit', change: 'back', unit })
    await clock.advanceAsync(1_000)
    expect(reports).toContainEqual({ kind: 'unit', change: 'back', unit })
    expect(bus.units.get(18)).toEqual(unit)
  })

  it('reads a unit again on request', async () => {
    const readsOfLamp = (): number =>
      adapter.requests('read_state').filter((request) => 'address' in request && request.address === 17).length
    await clock.advanceAsync(30_000)
    const before = readsOfLamp()
    adapter.states.set('17:null', dimmer(80))
    bus.refresh(17)
    bus.refresh(9_999)
    await clock.advanceAsync(1_000)
    expect(readsOfLamp()).toBe(before + 1)
    expect(reports).toContainEqual(
      expect.objectContaining({ target: LAMP, state: { on: true, bri: 80, mode: 'auto' } }),
    )
  })

  it('is unavailable at once while the line is lost, and reads everything again when it returns', async () => {
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

  it('fails pending requests once when the line breaks', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const result = bus.control(LAMP, bri(50), 'person')
    await clock.advanceAsync(10)
    adapter.unplug()
    expect(await result).toEqual({ ok: false, error: { kind: 'unavailable', retryMs: expect.any(Number) as number } })
    expect(adapter.requests('control')).toHaveLength(1)
  })

  it('notices a silent adapter within a second, and reopens the line until it answers', async () => {
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
      // The reply is ready, but its session is lost.
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
    expect(adapter.requests('control')).toHaveLength(1)
    expect(reports.filter((report) => report.kind === 'link')).toHaveLength(1)
  })

  it('fails pending requests when the adapter restarts, because it may have forgotten them', async () => {
    adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const result = bus.control(LAMP, bri(50), 'person')
    await clock.advanceAsync(10)
    adapter.restart()
    await clock.advanceAsync(50)
    expect(await result).toEqual({ ok: false, error: { kind: 'unavailable' } })
    expect(bus.down).toBeNull()
  })

  it('reports that the radio is down, and fails at once until it is up', async () => {
    adapter.report({ name: 'radio', up: false })
    expect(bus.down).toBe('radio')
    expect(await bus.control(LAMP, bri(50), 'person')).toEqual({ ok: false, error: { kind: 'unavailable' } })
    adapter.report({ name: 'radio', up: true })
    expect(bus.down).toBeNull()
  })

  it('sets the clock again when local time jumps', async () => {
    bus.stop()
    let offset = 60
    const again = testBus({ openPort: adapter.openPort, clock, utcOffset: () => offset })
    again.start()
    await clock.advanceAsync(100)
    const before = adapter.requests('set_clock').length
    await clock.advanceAsync(120_000)
    expect(adapter.requests('set_clock')).toHaveLength(before)
    offset = 120
    await clock.advanceAsync(60_000)
    expect(adapter.requests('set_clock').at(-1)).toMatchObject({ offset: 120 })
    again.stop()
  })
})
