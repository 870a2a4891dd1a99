import type { Clock } from '../../lib/clock.ts'
import type { Cause } from '../model/cause.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { EnergyJump, EnergyStore } from '../ports/energy-store.ts'
import { energyWords, rangeWords } from '../words/energy.ts'
import type { Energy } from './energy.ts'

/** `count`: the device took that energy. `other_meter`: the counter is another one, so nothing is counted. */
export const JUMP_ANSWERS = ['count', 'other_meter'] as const
export type JumpAnswer = (typeof JUMP_ANSWERS)[number]

interface EnergyJumpsParts {
  readonly store: Pick<EnergyStore, 'jumps' | 'settle'>
  readonly energy: Pick<Energy, 'amounts' | 'zone'>
  readonly activity: ActivityLog
  readonly clock: Clock
}

/** Jumps of counters that wait for an administrator (docs/energy.md#jumps). */
export class EnergyJumps {
  readonly #parts: EnergyJumpsParts

  constructor(parts: EnergyJumpsParts) {
    this.#parts = parts
  }

  list(): readonly EnergyJump[] {
    return this.#parts.store.jumps()
  }

  /** Answers a jump, with an activity entry. Null where no such jump waits. Throws when it cannot be stored. */
  async answer(id: number, answer: JumpAnswer, cause: Cause): Promise<EnergyJump | null> {
    const { store, energy, activity, clock } = this.#parts
    const jump = store.settle(id, ({ mwh, from, to }) => (answer === 'count' ? energy.amounts(mwh, from, to) : []))
    if (jump === null) return null
    const range = rangeWords(energy.zone.zone, jump.from, jump.to)
    activity.record({
      at: clock.now(),
      kind: 'edited',
      subject: { kind: 'device', id: jump.device },
      what:
        answer === 'count'
          ? `jump of the counter by ${energyWords(jump.mwh)} ${range} added to its energy`
          : `jump of the counter by ${energyWords(jump.mwh)} ${range} left out: it is another meter`,
      cause,
      data: { jump: { answer, mwh: jump.mwh, from: jump.from, to: jump.to } },
    })
    await activity.committed()
    return jump
  }
}
