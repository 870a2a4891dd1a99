import { describe, expect, it } from 'vitest'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { Emitter } from '../../lib/emitter.ts'
import { type HomeEvent, type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import type { Command, Move, ChangeTrigger } from '../model/device.ts'
import { CommandCauses } from './command-causes.ts'
import { LiveHome } from './live-home.ts'
import { UnitControl } from './unit-control.ts'

const ANNA: Cause = { source: 'person', name: 'Anna' }
const EVENING: Cause = { source: 'scene', name: 'Evening', ref: 'evening' }
const NIGHT: Cause = { source: 'scene', name: 'Night', ref: 'night' }

/** A home with a gate and no radio; `reported` collects the gate's events with their causes. */
function gateHome() {
  const gate = unitOf('gate', 13, { class: 'gate', model: 'HMGT' })
  const house = storedHouse({ info: homeInfo(), floors: [], rooms: [], units: [gate], scenes: [], groups: [] })
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const reported: string[] = []
  events.on((event) => {
    if (event.kind === 'state' && 'move' in event.state) reported.push(`${event.state.move} by ${event.cause.name}`)
  })
  const known = new Set([gate])
  const bus = new QuietBus(() => known)
  const clock = new ManualClock(1_000)
  const live = new LiveHome({ house, bus, events, clock })
  const control = new UnitControl({
    house,
    live,
    bus,
    clock,
    activity: { record: () => {}, committed: () => Promise.resolve() },
  })
  bus.setLink(null)
  const command = (op: Extract<Command['op'], 'open' | 'close' | 'stop'>, cause: Cause) =>
    control.perform({ device: 'gate', command: { op } }, cause, 'person')
  const goes = (move: Move, pos: number, trigger: ChangeTrigger = 'command'): void =>
    bus.report({ kind: 'state', target: { address: 13, gang: null }, state: { pos, move }, trigger })
  /** Anna has opened it, and the unit does not answer the evening's command to close. */
  const closedInVain = async (): Promise<void> => {
    await command('open', ANNA)
    goes('opening', 0)
    bus.setSilent(gate, true)
    await command('close', EVENING)
  }
  return { gate, known, bus, reported, command, goes, closedInVain }
}

describe('a gate that opens', () => {
  proves(
    ['activity.travel'],
    'is attributed to the command that opened it, even while another command waits for an answer',
    async () => {
      const { bus, reported, command, goes } = gateHome()
      await command('open', ANNA)
      goes('opening', 0)
      const held = Promise.withResolvers<void>()
      bus.held = held.promise
      const closing = command('close', EVENING)
      goes('opening', 15)
      goes('stopped', 100)
      held.resolve()
      await closing
      goes('closing', 90)
      expect(reported.slice(1)).toEqual([
        'opening by Anna',
        'opening by Anna',
        'stopped by Anna',
        'stopped by Evening',
        'closing by Evening',
      ])
    },
  )

  it('continues with its own cause after the unit did not answer another command', async () => {
    const { reported, goes, closedInVain } = gateHome()
    await closedInVain()
    goes('opening', 15)
    goes('stopped', 100)
    expect(reported.slice(2)).toEqual(['opening by Anna', 'stopped by Anna'])
  })

  it('is not attributed to a command that the adapter refused', async () => {
    const { gate, known, reported, command, goes } = gateHome()
    await command('open', ANNA)
    goes('opening', 0)
    known.delete(gate)
    await command('close', EVENING)
    known.add(gate)
    goes('closing', 10)
    expect(reported.slice(2)).toEqual(['closing by Anna'])
  })

  it('is attributed to an unanswered command when it turns back', async () => {
    const { reported, goes, closedInVain } = gateHome()
    await closedInVain()
    goes('closing', 10)
    goes('closing', 5)
    goes('stopped', 0)
    expect(reported.slice(2)).toEqual(['closing by Evening', 'closing by Evening', 'stopped by Evening'])
  })
})

describe('a change that a unit reports as caused by a command', () => {
  const opening = { pos: 20, move: 'opening' } as const
  const closing = { pos: 20, move: 'closing' } as const
  const stopped = { pos: 20, move: 'stopped' } as const

  /** A gate that Anna opened and that is moving. */
  const opened = (): CommandCauses => {
    const causes = new CommandCauses()
    causes.sent('gate', ANNA, 'open')
    causes.confirmed('gate', ANNA)
    causes.observe('gate', opening, 'command')
    return causes
  }

  it('belongs to the gateway if no known command caused it', () => {
    expect(new CommandCauses().of('gate', opening)).toBe(GATEWAY_CAUSE)
  })

  it('belongs to the requester if it starts before the answer, as in a group', () => {
    const causes = new CommandCauses()
    causes.sent('gate', EVENING, 'open')
    expect(causes.of('gate', opening)).toBe(EVENING)
    causes.observe('gate', opening, 'command')
    causes.sent('gate', NIGHT, 'open')
    expect(causes.of('gate', stopped)).toBe(EVENING)
  })

  it('never belongs to a refused command', () => {
    const causes = opened()
    causes.sent('gate', EVENING, 'open')
    causes.failed('gate', EVENING)
    expect(causes.of('gate', stopped)).toBe(ANNA)
    expect(causes.of('gate', closing)).toBe(ANNA)
  })

  it('belongs to the requester of a command that continues a movement by touch or after a stop', () => {
    for (const [state, trigger] of [
      [opening, 'touch'],
      [stopped, 'command'],
      [stopped, 'sync'],
    ] as const) {
      const causes = opened()
      causes.observe('gate', state, trigger)
      causes.sent('gate', EVENING, 'open')
      expect(causes.of('gate', opening)).toBe(EVENING)
    }
  })

  it('keeps its cause when it is only read again', () => {
    const causes = opened()
    causes.observe('gate', opening, 'sync')
    causes.sent('gate', EVENING, 'open')
    expect(causes.of('gate', opening)).toBe(ANNA)
  })

  proves(['activity.travel'], 'is never an opening by a closing command, regardless of earlier answers', () => {
    const unanswered = new CommandCauses()
    unanswered.sent('gate', ANNA, 'open')
    unanswered.sent('gate', EVENING, 'close')
    expect(unanswered.of('gate', opening)).toBe(ANNA)
    const starting = new CommandCauses()
    starting.sent('gate', ANNA, 'open')
    starting.confirmed('gate', ANNA)
    starting.observe('gate', stopped, 'command')
    starting.sent('gate', EVENING, 'close')
    expect(starting.of('gate', opening)).toBe(ANNA)
    expect(starting.of('gate', { locked: false })).toBe(ANNA)
    expect(starting.of('gate', closing)).toBe(EVENING)
  })

  it('is forgotten with its device', () => {
    const causes = opened()
    causes.keepOnly(() => false)
    expect(causes.of('gate', opening)).toBe(GATEWAY_CAUSE)
  })
})
