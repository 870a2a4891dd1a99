import { describe, expect, it } from 'vitest'
import type { Frame } from '../frame/frame.ts'
import {
  ACK_WAIT_MS,
  CLOSED,
  PINGS_MAX,
  RESETS_MAX,
  SENDS_MAX,
  stepLink,
  type LinkEffect,
  type LinkInput,
  type LinkState,
} from './link.ts'

const SESSION = 0x5a17
const PAYLOAD = Uint8Array.of(5, 0, 1, 0, 17)
const at = (frame: Partial<Frame> & { kind: Frame['kind'] }): LinkInput => ({
  is: 'frame',
  frame: { session: SESSION, seq: 0, ...frame } as Frame,
})
const begin = { is: 'begin', session: SESSION, host: 7 } as const
const rstack = at({ kind: 'rstack', version: 1, bootReason: 'power_on', boot: 99 })
const send: LinkInput = { is: 'send', payload: PAYLOAD, sendsMax: SENDS_MAX }
const late = (timer: 'ack' | 'reset' | 'watch' | 'nak'): LinkInput => ({ is: 'late', timer })

/** Applies the inputs in order; returns the last state and the last effects. */
function run(...inputs: LinkInput[]): { state: LinkState; effects: readonly LinkEffect[] } {
  return inputs.reduce<{ state: LinkState; effects: readonly LinkEffect[] }>(
    ({ state }, input) => stepLink(state, input),
    { state: CLOSED, effects: [] },
  )
}
const written = (effects: readonly LinkEffect[]): Frame[] =>
  effects.flatMap((effect) => (effect.do === 'write' ? [effect.frame] : []))
const done = (effects: readonly LinkEffect[]): string[] =>
  effects.map((effect) => (effect.do === 'lost' ? `lost ${effect.reason}` : effect.do))
const OPEN = [begin, rstack]

describe('the handshake', () => {
  it('requests a session, and has it when the adapter confirms it', () => {
    expect(written(run(begin).effects)).toEqual([{ kind: 'rst', session: SESSION, seq: 0, version: 2, host: 7 }])
    expect(run(begin, rstack).effects).toContainEqual({
      do: 'opened',
      boot: 99,
      bootReason: 'power_on',
      version: 1,
    })
  })

  it('repeats the request with a new session each time, and gives up after ten', () => {
    const resets = Array.from({ length: RESETS_MAX - 1 }, () => late('reset'))
    expect(written(run(begin, late('reset')).effects)).toEqual([
      { kind: 'rst', session: SESSION + 1, seq: 0, version: 2, host: 7 },
    ])
    expect(run(begin, late('reset'), rstack).state.at).toBe('resetting')
    expect(written(run({ ...begin, session: 0xffff }, late('reset')).effects)).toMatchObject([{ session: 1 }])
    expect(written(run(begin, ...resets).effects)).toMatchObject([{ kind: 'rst' }])
    expect(done(run(begin, ...resets, late('reset')).effects)).toContain('lost no_answer')
  })

  it('ignores an RSTACK of another session or version', () => {
    expect(run(begin, at({ kind: 'rstack', session: 1, version: 1, bootReason: 'power_on', boot: 9 })).state.at).toBe(
      'resetting',
    )
    expect(done(run(begin, at({ kind: 'rstack', version: 3, bootReason: 'power_on', boot: 9 })).effects)).toContain(
      'lost version',
    )
  })

  it('ends the session on ERROR, and ignores an ERROR without a session', () => {
    const error = at({ kind: 'error', session: 0, reason: 'booted', bootReason: 'watchdog' })
    expect(done(run(...OPEN, error).effects)).toContain('lost error')
    expect(run(begin, error)).toEqual({ state: run(begin).state, effects: [] })
  })
})

describe('sending', () => {
  it('sends the same frame at most three times, then the link is lost', () => {
    const first = run(...OPEN, send)
    expect(written(first.effects)).toEqual([{ kind: 'data', session: SESSION, seq: 0, payload: PAYLOAD }])
    expect(first.effects).toContainEqual({ do: 'timer', timer: 'ack', ms: ACK_WAIT_MS })
    expect(written(run(...OPEN, send, late('ack'), late('ack')).effects)).toEqual(written(first.effects))
    expect(done(run(...OPEN, send, late('ack'), late('ack'), late('ack')).effects)).toContain('lost unacknowledged')
  })

  it('repeats the outstanding frame on NAK, but gives the last attempt its full timeout', () => {
    const nak = at({ kind: 'nak', seq: 0, reason: 'damaged' })
    expect(written(run(...OPEN, send, nak).effects)).toHaveLength(1)
    const last = run(...OPEN, send, nak, nak, nak)
    expect(written(last.effects)).toHaveLength(0)
    expect(last.state.at).toBe('open')
    expect(written(run(...OPEN, send, at({ kind: 'nak', seq: 4, reason: 'damaged' })).effects)).toHaveLength(0)
  })

  it('accepts only the ACK of the outstanding frame', () => {
    expect(done(run(...OPEN, send, at({ kind: 'ack', seq: 0 })).effects)).toContain('acked')
    expect(done(run(...OPEN, send, at({ kind: 'ack', seq: 1 })).effects)).not.toContain('acked')
    expect(done(run(...OPEN, send, at({ kind: 'ack', seq: 0, session: 3 })).effects)).not.toContain('acked')
    expect(done(run(...OPEN, at({ kind: 'ack', seq: 0 })).effects)).not.toContain('acked')
  })

  it('numbers 256 frames and starts again at 0', () => {
    const all = Array.from({ length: 256 }, (_, seq) => [send, at({ kind: 'ack', seq })]).flat()
    expect(written(run(...OPEN, ...all, send).effects)).toEqual([
      { kind: 'data', session: SESSION, seq: 0, payload: PAYLOAD },
    ])
  })
})

describe('receiving', () => {
  const data = (seq: number): LinkInput => at({ kind: 'data', seq, payload: PAYLOAD })

  it('acknowledges and delivers the expected frame', () => {
    const { effects } = run(...OPEN, data(0))
    expect(written(effects)).toEqual([{ kind: 'ack', session: SESSION, seq: 0 }])
    expect(effects).toContainEqual({ do: 'deliver', payload: PAYLOAD })
  })

  it('acknowledges a duplicate and delivers nothing', () => {
    const { effects } = run(...OPEN, data(0), data(0))
    expect(written(effects)).toEqual([{ kind: 'ack', session: SESSION, seq: 0 }])
    expect(done(effects)).not.toContain('deliver')
  })

  it('names the expected frame if one is out of sequence, and ends the session if that continues', () => {
    expect(written(run(...OPEN, data(7)).effects)).toEqual([
      { kind: 'nak', session: SESSION, seq: 0, reason: 'sequence' },
    ])
    expect(done(run(...OPEN, data(7), data(8), data(9), data(10)).effects)).toContain('lost sequence')
    expect(run(...OPEN, data(7), data(8), data(0), data(9)).state.at).toBe('open')
  })

  it('reports damage once, then not again until the pause is over', () => {
    const damaged: LinkInput = { is: 'damaged' }
    expect(written(run(...OPEN, damaged).effects)).toEqual([
      { kind: 'nak', session: SESSION, seq: 0, reason: 'damaged' },
    ])
    expect(written(run(...OPEN, damaged, damaged).effects)).toEqual([])
    expect(written(run(...OPEN, damaged, late('nak'), damaged).effects)).toHaveLength(1)
  })
})

describe('keep-alive', () => {
  it('pings when it is quiet, and declares the adapter silent when no frame comes', () => {
    const quiet = Array.from({ length: PINGS_MAX }, () => late('watch'))
    expect(run(...OPEN, late('watch')).effects).toEqual([
      { do: 'write', frame: { kind: 'ping', session: SESSION, seq: 0 } },
      { do: 'timer', timer: 'watch', ms: 150 },
    ])
    expect(written(run(...OPEN, ...quiet).effects)).toMatchObject([{ kind: 'ping', seq: PINGS_MAX - 1 }])
    expect(done(run(...OPEN, ...quiet, late('watch')).effects)).toContain('lost silent')
    expect(run(...OPEN, ...quiet, at({ kind: 'pong' }), ...quiet).state.at).toBe('open')
    expect(done(run(...OPEN, ...quiet, at({ kind: 'pong', session: 5 }), late('watch')).effects)).toContain(
      'lost silent',
    )
  })

  it('waits for half a second from each frame of its session, so that an answered ping costs one timer', () => {
    const wait = { do: 'timer', timer: 'watch', ms: 500 }
    expect(run(...OPEN).effects).toContainEqual(wait)
    expect(run(...OPEN, late('watch'), at({ kind: 'pong' })).effects).toEqual([wait])
    expect(run(...OPEN, late('watch'), at({ kind: 'pong', session: 5 })).effects).not.toContainEqual(wait)
  })
})
