import type { Agenda, Cancel } from '../model/agenda.ts'
import type { Load } from '../model/house-plan.ts'

/** One phase of an appliance's programme. */
export interface ProgrammeStep {
  readonly minutes: number
  readonly watts: number
}

/** A dishwasher's usual run. */
const DISHES: readonly ProgrammeStep[] = [
  { minutes: 6, watts: 55 },
  { minutes: 18, watts: 2050 },
  { minutes: 34, watts: 70 },
  { minutes: 14, watts: 1980 },
  { minutes: 22, watts: 45 },
]

const FILLS: ProgrammeStep = { minutes: 2, watts: 18 }
const TUMBLES: readonly ProgrammeStep[] = [
  { minutes: 2, watts: 160 },
  { minutes: 0.5, watts: 7 },
  { minutes: 2, watts: 140 },
]
/** Shorter than the time after which people call a machine done. */
const SOAKS: ProgrammeStep = { minutes: 1.5, watts: 3 }
const DRAINS: ProgrammeStep = { minutes: 1, watts: 34 }

/** A washing machine's usual run: a heated wash, two rinses, and a spin. */
export const LAUNDRY: readonly ProgrammeStep[] = [
  FILLS,
  { minutes: 13, watts: 2_050 },
  ...[1, 2, 3, 4].flatMap(() => [...TUMBLES, SOAKS]),
  DRAINS,
  ...[1, 2].flatMap(() => [FILLS, ...TUMBLES, DRAINS]),
  { minutes: 9, watts: 420 },
  DRAINS,
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

  /** Starts the appliance's own programme. */
  start(): void {
    this.run(this.plan.programme === 'laundry' ? LAUNDRY : DISHES)
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
