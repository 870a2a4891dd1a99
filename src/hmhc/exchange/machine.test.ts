import { describe, expect, it } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { MachineRunner, NamedTimers } from './machine.ts'

describe('a machine', () => {
  /** Its state is the sum of its inputs; the effects of an input are its state before and after. */
  const adding = (perform: (effect: number) => void): MachineRunner<number, number, number> =>
    new MachineRunner<number, number, number>(
      0,
      (state, input) => ({ state: state + input, effects: [state, state + input] }),
      perform,
    )

  it('has its new state when an effect runs', () => {
    const seen: number[] = []
    const machine = adding(() => seen.push(machine.state))
    machine.take(3)
    expect(seen).toEqual([3, 3])
  })

  it('handles an input from an effect after the other effects', () => {
    const effects: number[] = []
    const machine = adding((effect) => {
      effects.push(effect)
      if (effect === 0) machine.take(10)
    })
    machine.take(1)
    expect(effects).toEqual([0, 1, 1, 11])
  })

  it('continues after an effect that throws', () => {
    const machine = adding((effect) => {
      if (effect === 0) throw new Error('a defect')
    })
    expect(() => machine.take(1)).toThrow('a defect')
    machine.take(5)
    expect(machine.state).toBe(6)
  })
})

describe('named timers', () => {
  it('fire once, unless they are set again or cancelled', () => {
    const clock = new ManualClock()
    const late: string[] = []
    const timers = new NamedTimers<'ack' | 'watch'>(clock, (timer) =>
      late.push(`${timer} ${clock.monotonic() - start}`),
    )
    const start = clock.monotonic()
    timers.set('ack', 100)
    timers.set('watch', 50)
    clock.advance(40)
    timers.set('ack', 100)
    clock.advance(200)
    expect(late).toEqual(['watch 50', 'ack 140'])
    timers.set('ack', 100)
    timers.cancel('ack')
    timers.cancel('ack')
    expect(clock.waiting).toBe(0)
  })
})
