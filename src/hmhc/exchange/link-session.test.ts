import { describe, expect, it } from 'vitest'
import type { Hello } from '../message/messages.ts'
import { RESET_WAIT_MS, type LossReason } from './link.ts'
import { NO_SESSION, REJOIN_WAIT_MS, stepSession } from './link-session.ts'
import type { SessionEffect, SessionInput, SessionState } from './link-session.ts'

const HELLO: Hello = {
  name: 'hello',
  result: 'done',
  serial: 'A-1',
  firmware: '1.0.0',
  network: 1,
  channel: 11,
  radioUp: true,
  unitCount: 3,
  inFlightMax: 4,
  groupMax: 20,
  registersMax: 40,
}
const up = { is: 'line_up' } as const
const lineDown = { is: 'line_down' } as const
const opened = (boot = 1): SessionInput => ({ is: 'opened', boot, bootReason: 'power_on' })
const greeted = { is: 'greeted', hello: HELLO } as const
const notGreeted = { is: 'greeted', hello: null } as const
const lost = (reason: LossReason): SessionInput => ({ is: 'lost', reason })
const late = (timer: 'rejoin' | 'greet'): SessionInput => ({ is: 'late', timer })
const carried = { is: 'carried' } as const
const READY = [up, opened(), greeted, carried]
const BREAKS = ['unacknowledged', 'error', 'sequence'] as const

/** Applies the inputs in order; returns the last state and the last effects. */
function run(...inputs: readonly SessionInput[]): { state: SessionState; effects: readonly SessionEffect[] } {
  return inputs.reduce<{ state: SessionState; effects: readonly SessionEffect[] }>(
    ({ state }, input) => stepSession(state, input),
    { state: NO_SESSION, effects: [] },
  )
}
/** The effects in short form: `down silent`, `timer rejoin`. */
const done = (...inputs: readonly SessionInput[]): string[] =>
  run(...inputs).effects.map((effect) => {
    if (effect.do === 'timer' || effect.do === 'cancel') return `${effect.do} ${effect.timer}`
    return effect.do === 'down' ? `down ${effect.why}` : effect.do
  })

describe('a new session', () => {
  it('gives a newly opened line a moment before the adapter counts as silent', () => {
    expect(run(up).effects).toEqual([{ do: 'timer', timer: 'rejoin', ms: REJOIN_WAIT_MS }])
    expect(run(up).state.down).toBe('port')
    expect(done(up, late('rejoin'))).toEqual(['cancel rejoin', 'abandon', 'down silent'])
  })

  it('requests a hello from the adapter, and is ready when it comes', () => {
    expect(done(up, opened())).toEqual(['cancel greet', 'greet'])
    expect(run(up, opened(), greeted)).toEqual({
      state: { at: 'ready', hello: HELLO, carries: false, down: null, boot: 1 },
      effects: [
        { do: 'cancel', timer: 'rejoin' },
        { do: 'ready', hello: HELLO },
      ],
    })
  })

  it('becomes ready even after the adapter counted as silent', () => {
    expect(run(up, opened(), late('rejoin')).state).toEqual({ at: 'greeting', down: 'silent', boot: 1 })
    expect(run(up, opened(), late('rejoin'), greeted).state).toMatchObject({ at: 'ready', down: null })
  })

  it('restarts if the hello is invalid', () => {
    expect(run(up, opened(), notGreeted).effects).toEqual([{ do: 'timer', timer: 'greet', ms: RESET_WAIT_MS }])
    expect(done(up, opened(), notGreeted, late('greet'))).toEqual(['begin'])
    expect(done(up, opened(), notGreeted, opened())).toEqual(['cancel greet', 'greet'])
  })

  it('ignores a hello without a session, and a second one', () => {
    expect(run(up, greeted)).toEqual({ state: run(up).state, effects: [] })
    expect(run(...READY, notGreeted)).toEqual({ state: run(...READY).state, effects: [] })
  })
})

describe('a broken session', () => {
  it.each(BREAKS)('keeps repeatable requests during a short break (%s), and reports nothing', (reason) => {
    expect(done(...READY, lost(reason))).toEqual(['cancel greet', 'end', 'keep', 'timer rejoin', 'begin'])
    expect(run(...READY, lost(reason)).state).toEqual({ at: 'closed', down: null, boot: 1 })
    expect(run(...READY, lost(reason), opened(), greeted, carried).state).toEqual(run(...READY).state)
  })

  it.each(BREAKS)('is down after a longer break (%s)', (reason) => {
    expect(done(...READY, lost(reason), late('rejoin'))).toEqual(['cancel rejoin', 'abandon', 'down silent'])
    expect(done(...READY, lost(reason), opened(), late('rejoin'))).toContain('down silent')
    expect(done(...READY, lost(reason), opened(), greeted, late('rejoin'))).toEqual([])
  })

  it('is down at once, and tried again, if it breaks again before it carried a request', () => {
    const down = ['cancel greet', 'end', 'cancel rejoin', 'abandon', 'down silent', 'begin']
    const again = [...READY, lost('unacknowledged'), opened()]
    expect(done(...again, lost('unacknowledged'))).toEqual(down)
    expect(done(...again, greeted, lost('unacknowledged'))).toEqual(down)
    expect(done(...again, greeted, carried, lost('unacknowledged'))).toContain('keep')
    expect(done(...again, carried, lost('unacknowledged'))).toEqual(down)
  })

  it('with a silent adapter is down at once, and is tried again on the same line', () => {
    expect(done(...READY, lost('silent'))).toEqual([
      'cancel greet',
      'end',
      'cancel rejoin',
      'abandon',
      'down silent',
      'begin',
    ])
  })

  it.each(['no_answer', 'version'] as const)('needs a new line after a permanent loss (%s)', (reason) => {
    expect(done(...READY, lost(reason)).slice(-2)).toEqual(['down silent', 'reopen'])
    expect(run(...READY, lost(reason)).state).toEqual({ at: 'closed', down: 'silent', boot: 1 })
  })

  it('is down at once with its line', () => {
    expect(done(...READY, lineDown)).toEqual(['cancel greet', 'end', 'cancel rejoin', 'abandon', 'down port'])
    expect(run(...READY, lineDown).state).toEqual({ at: 'closed', down: 'port', boot: 1 })
  })

  it('reports each reason for being down once', () => {
    expect(done(up, lineDown)).not.toContain('down port')
    expect(done(...READY, lineDown, lineDown)).not.toContain('down port')
    expect(done(...READY, lost('silent'), lost('no_answer'))).not.toContain('down silent')
    expect(done(...READY, lost('silent'), lineDown)).toContain('down port')
  })
})

describe('a restarted adapter', () => {
  it('is recognized by its boot number, after any other event', () => {
    expect(done(...READY, lost('error'), opened(2))).toEqual(['cancel greet', 'restarted', 'greet'])
    expect(done(...READY, lineDown, up, opened(2))).toContain('restarted')
    expect(done(...READY, lost('error'), opened(1))).not.toContain('restarted')
    expect(done(up, opened(7))).not.toContain('restarted')
  })
})
