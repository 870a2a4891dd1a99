import { refuse, type Command, type Outcome, type State } from '../bus-types.ts'
import type { Device } from './device.ts'
import type { Measuring } from './measuring.ts'
import type { Unit } from './unit.ts'

/** A sensor unit. */
export class SensorDevice implements Device {
  readonly gang = null
  readonly class = 'sensor'
  readonly roomId: string | null
  readonly measuring: Measuring

  constructor(unit: Unit, measuring: Measuring) {
    this.roomId = unit.plan.room
    this.measuring = measuring
  }

  state(): State {
    return { class: 'sensor', ...this.measuring.reported }
  }

  execute(_command: Command, done: (outcome: Outcome) => void): void {
    done(refuse('not_offered'))
  }
}
