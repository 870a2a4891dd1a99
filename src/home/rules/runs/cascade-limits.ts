import { type Cause, GATEWAY_CAUSE, requesterOf } from '../../model/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/durations.ts'
import { TokenBucket, TokenBuckets } from '../../../lib/token-bucket.ts'
import { type Step, STEPS_RUN_MAX } from '../../model/rules.ts'

/** True if an automation is in the chain. */
function includesAutomation(chain: Cause | undefined): boolean {
  for (let link = chain; link !== undefined; link = link.by) if (link.source === 'automation') return true
  return false
}

/**
 * Runs that one cause may start through any number of links, including scenes. The burst equals the most automations of
 * a home, so one event may start each of them. The rate is enough for a slow loop (docs/limits.md#why).
 */
export const RUNS_PER_CAUSE = { perSecond: 1, burst: 2_000 }
/** Automations started by automations, for each requester: all causes of one credential or unit count together. */
export const CASCADE = { perSecond: 20, burst: 200, keysMax: 1_000 }
/** A lasting cause, such as a slow loop, is reported again after this long. */
const REPORT_AGAIN_MS = HOUR_MS

/** The reached limit: for one cause, or for automations that start each other. */
export type CascadeLimit = 'cause' | 'cascade'

/** Reason why it did not run. */
export const LIMIT_WORDS: Readonly<Record<CascadeLimit, string>> = {
  cause: 'its cause had already set off too many runs',
  cascade: 'too many automations set each other off',
}

/** The last time that a limit stopped an automation; `at` in epoch ms. */
export interface LimitedRun {
  readonly at: number
  readonly limit: CascadeLimit
}

/** Counts of one original cause. */
interface CauseCounter {
  readonly requester: string
  readonly runs: TokenBucket
  /** By the monotonic clock; null before the first refusal. */
  reportedAt: number | null
}

/**
 * Limits the runs that one cause may start. Scenes and automations that only start each other take no time, so without
 * a limit one request could use all processor time and memory. A cause is known by its object, which its consequences
 * carry on. Its count is freed with the last of them. A restart counts anew.
 */
export class CascadeLimits {
  readonly #clock: Clock
  readonly #counters = new WeakMap<Cause, CauseCounter>()
  readonly #cascade: TokenBuckets

  constructor(clock: Clock) {
    this.#clock = clock
    this.#cascade = new TokenBuckets(clock, CASCADE)
  }

  /** Counts a run with `cause` as a consequence of `by`. */
  inherit(cause: Cause, by: Cause): void {
    this.#counters.set(cause, this.#counterOf(by))
  }

  /** True if a cause has reached its limit for now. */
  isExhausted(by: Cause): boolean {
    return this.#counterOf(by).runs.waitSeconds > 0
  }

  /** Takes the room for a run of these steps; returns the limit if there is no room. */
  take(by: Cause, steps: readonly Step[]): CascadeLimit | null {
    const { runs, requester } = this.#counterOf(by)
    if (runs.waitSeconds > 0) return 'cause'
    if (includesAutomation(by) && this.#cascade.take(requester) > 0) return 'cascade'
    runs.take(runsOf(steps))
    return null
  }

  /** True if a refusal of this cause should be reported: once for each cause. */
  shouldReport(by: Cause): boolean {
    const counter = this.#counterOf(by)
    const now = this.#clock.monotonic()
    if (counter.reportedAt !== null && now - counter.reportedAt < REPORT_AGAIN_MS) return false
    counter.reportedAt = now
    return true
  }

  #counterOf(cause: Cause): CauseCounter {
    const known = this.#counters.get(cause)
    if (known !== undefined) return known
    const counter = {
      requester: requesterOf(cause),
      runs: new TokenBucket(this.#clock, RUNS_PER_CAUSE),
      reportedAt: null,
    }
    // The gateway's own cause is one object for all its reads, however far apart.
    if (cause !== GATEWAY_CAUSE) this.#counters.set(cause, counter)
    return counter
  }
}

/** The run itself and each scene that it may run, at most as many as a run has steps. */
function runsOf(steps: readonly Step[]): number {
  return Math.min(1 + scenesIn(steps), STEPS_RUN_MAX)
}

function scenesIn(steps: readonly Step[]): number {
  return steps.reduce((runs, step) => {
    if ('scene' in step) return runs + 1
    if ('repeat' in step) return runs + step.times * scenesIn(step.repeat)
    return 'if' in step ? runs + Math.max(scenesIn(step.then), scenesIn(step.else ?? [])) : runs
  }, 0)
}
