import { refuse, type Command, type Outcome, type State, type Touch } from '../bus-types.ts'
import type { Device } from './device.ts'
import type { Unit } from './unit.ts'

const BOLT_MS = 900

/** A lock: its bolt takes a moment, and what it confirms is where the bolt is then. */
export class LockDevice implements Device {
  readonly gang = null
  readonly class = 'lock'
  readonly roomId: string | null
  readonly #unit: Unit
  #locked = true
  /** The bolt meets something: no command moves it. */
  jammed = false

  constructor(unit: Unit) {
    this.#unit = unit
    this.roomId = unit.plan.room
  }

  state(): State {
    return { class: 'lock', locked: this.#locked }
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    if (command.op !== 'open' && command.op !== 'close') return done(refuse('not_offered'))
    const locked = command.op === 'close'
    if (locked === this.#locked) return done({ result: 'done', state: this.state() })
    this.#unit.environment.agenda.after(BOLT_MS, () => {
      if (this.jammed) return done(refuse('blocked'))
      this.#locked = locked
      done({ result: 'done', state: this.state() })
    })
  }

  /** Turned by hand, with a key or the knob inside: up unlocks, down locks. */
  touch({ key }: Touch): void {
    const locked = key === 'down'
    if (locked === this.#locked || this.jammed) return
    this.#locked = locked
    this.#unit.reportState(this, 'touch')
  }
}
