import { type Clock, every } from '../../../lib/clock.ts'
import type { HomeEvent } from '../../model/events.ts'
import { partsOf } from '../../model/rule-parts.ts'
import type { Condition } from '../../model/rules.ts'

/** Conditions about times are tested this often during a wait; others at each event. */
const LOOK_AGAIN_MS = 1_000

export interface PauseParts {
  readonly clock: Clock
  /** True if all of them hold now. */
  readonly holds: (conditions: readonly Condition[]) => boolean
  /** Calls `listener` after each event of the home, until the returned function is called. */
  readonly onEvent: (listener: (event: HomeEvent) => void) => () => void
}

/** A pause of a run that ends by time, once conditions hold, or with the run. */
export class Pause {
  /** Planned end, epoch ms. */
  readonly until: number
  /** Resolves at the end; true if the conditions hold. */
  readonly over: Promise<boolean>
  readonly #cancels: (() => void)[] = []
  readonly #resolve: (met: boolean) => void

  /** @param conditions it ends once all of them hold; null for a pause by time alone. */
  constructor(ms: number, conditions: readonly Condition[] | null, parts: PauseParts) {
    const { clock, holds, onEvent } = parts
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.over = promise
    this.#resolve = resolve
    this.until = clock.now() + ms
    const isMet = (): boolean => conditions !== null && holds(conditions)
    this.#cancels.push(clock.after(ms, () => this.#finish(isMet())))
    if (conditions === null) return
    const look = (): void => {
      if (isMet()) this.#finish(true)
    }
    this.#cancels.push(onEvent(look))
    if (changesByTime(conditions)) this.#cancels.push(every(clock, LOOK_AGAIN_MS, look))
    look()
  }

  /** Ends the pause early. */
  end(): void {
    this.#finish(false)
  }

  #finish(met: boolean): void {
    for (const cancel of this.#cancels.splice(0)) cancel()
    this.#resolve(met)
  }
}

/** Fields of conditions whose changes are events. */
const FOLLOWED: readonly string[] = ['device', 'group', 'mode', 'person']

/** True if time alone may change the outcome: a condition that no event changes, or one that looks back. */
function changesByTime(conditions: readonly Condition[]): boolean {
  return [...partsOf({ if: conditions })].some(({ part }) => {
    const isTree = 'any' in part || 'all' in part || 'not' in part
    return !isTree && (!FOLLOWED.some((field) => field in part) || 'for' in part || 'within' in part)
  })
}
