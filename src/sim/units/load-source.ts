import type { Agenda, Cancel } from '../model/agenda.ts'
import type { Load } from '../model/house-plan.ts'

/** One phase of an appliance's programme. */
export interface ProgrammeStep {
  readonly minutes: number
  readonly watts: number
}

/** A dishwasher's or washing machine's usual run. */
export const WASH_PROGRAMME: readonly ProgrammeStep[] = [
  { minutes: 6, watts: 55 },
  { minutes: 18, watts: 2050 },
  { minutes: 34, watts: 70 },
  { minutes: 14, watts: 1980 },
  { minutes: 22, watts: 45 },
]

/** The power of a load: lamps and heaters draw their rating, appliances follow their programme. */
export class LoadSource {
  readonly plan: Load
  readonly #agenda: Agenda
  readonly #changed: () => void
  #watts: number
  #cancel: Cancel = () => {}

  constructor(plan: Load, agenda: Agenda, changed: () => void) {
    this.plan = plan
    this.#agenda = agenda
    this.#changed = changed
    this.#watts = plan.kind === 'appliance' ? (plan.idleWatts ?? 12) : plan.watts
  }

  /** Watts at full level with mains. */
  get watts(): number {
    return this.#watts
  }

  get busy(): boolean {
    return this.plan.kind === 'appliance' && this.#watts > (this.plan.idleWatts ?? 12)
  }

  /** Starts a programme in place of a running one. */
  run(programme: readonly ProgrammeStep[]): void {
    this.#cancel()
    const [step, ...rest] = programme
    this.#watts = step?.watts ?? this.plan.idleWatts ?? 12
    this.#changed()
    if (step !== undefined) this.#cancel = this.#agenda.after(step.minutes * 60_000, () => this.run(rest))
  }

  /** The mains failed: a programme does not resume by itself. */
  interrupt(): void {
    this.#cancel()
    if (this.plan.kind === 'appliance') this.#watts = this.plan.idleWatts ?? 12
  }
}
