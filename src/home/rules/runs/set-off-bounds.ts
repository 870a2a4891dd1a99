import { CAUSE_DEPTH_MAX, type Cause, GATEWAY_CAUSE, whoAsks } from '../../model/events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/durations.ts'
import { TokenBucket, TokenBuckets } from '../../../lib/token-bucket.ts'
import type { Step } from '../../model/house.ts'

/**
 * The cause `self` as set off by `by`. Where an automation stands in that chain already, the chain goes on from that
 * place, so that it still names what began the loop and does not grow. A scene may stand there twice: what lies between
 * is the automation that ran it again, without which a loop would not be seen.
 */
export function setOffBy(self: Cause, by: Cause | undefined): Cause {
  if (by === undefined) return self
  const before = self.source === 'scene' ? undefined : linkTo(self, by)
  const chain = before === undefined ? by : before.by
  return chain === undefined ? self : { ...self, by: cut(chain, CAUSE_DEPTH_MAX - 1) }
}

/** The link of the chain that is the same rule or scene, if there is one. */
export function linkTo(self: Cause, chain: Cause | undefined): Cause | undefined {
  for (let link = chain; link !== undefined; link = link.by) {
    if (link.source === self.source && link.ref !== undefined && link.ref === self.ref) return link
  }
  return undefined
}

/** Whether a chain has the full length, so that its beginning may have been cut off. */
export function isAtFullDepth(chain: Cause | undefined): boolean {
  let depth = 0
  for (let link = chain; link !== undefined; link = link.by) depth += 1
  return depth >= CAUSE_DEPTH_MAX
}

/** Whether an automation is in the chain. */
function comesOfAutomation(chain: Cause | undefined): boolean {
  for (let link = chain; link !== undefined; link = link.by) if (link.source === 'automation') return true
  return false
}

function cut(chain: Cause, depth: number): Cause {
  if (chain.by === undefined) return chain
  if (depth > 1) return { ...chain, by: cut(chain.by, depth - 1) }
  const { by: _, ...last } = chain
  return last
}

/**
 * Runs that one cause sets off, through however many others, with the scenes that they run. At once as many as a home
 * has automations at most, so that one event may set off each of them; on average what a slow loop needs
 * (docs/limits.md#why).
 */
export const RUNS_OF_CAUSE = { perSecond: 1, burst: 2_000 }
/** Automations that others set off, of one who asks: many causes of one credential or unit count together. */
export const CASCADE = { perSecond: 20, burst: 200, keysMax: 1_000 }
/** A cause that goes on for hours, as a slow loop does, is told of again after this long. */
const TOLD_AGAIN_MS = HOUR_MS

/** Which bound was reached: that of one cause, or that of automations setting each other off. */
export type Bound = 'cause' | 'cascade'

/** Why it did not run. */
export const BOUND_WORDS: Readonly<Record<Bound, string>> = {
  cause: 'its cause had set off too many runs already',
  cascade: 'too many automations set each other off',
}

/** When a bound kept an automation from running last; `at` in epoch ms. */
export interface HeldBack {
  readonly at: number
  readonly bound: Bound
}

/** What began a chain of causes. */
interface Origin {
  readonly asker: string
  readonly runs: TokenBucket
  /** By the monotonic clock; null while nothing of it was refused. */
  toldAt: number | null
}

/**
 * Bounds how much one cause may set off. Scenes and automations that only start each other take no time, so without a
 * bound one call would take all of the processor and memory. A cause is known by its object, which what it sets off
 * carries on: what is counted of it goes with the last that knows it. A restart counts anew.
 */
export class SetOffBounds {
  readonly #clock: Clock
  readonly #origins = new WeakMap<Cause, Origin>()
  readonly #cascade: TokenBuckets

  constructor(clock: Clock) {
    this.#clock = clock
    this.#cascade = new TokenBuckets(clock, CASCADE)
  }

  /** `cause` is that of a run which `by` has set off: both count as what began them. */
  follows(cause: Cause, by: Cause): void {
    this.#origins.set(cause, this.#originOf(by))
  }

  /** Whether a cause has set off all that it may for now. */
  isSpent(by: Cause): boolean {
    return this.#originOf(by).runs.waitSeconds > 0
  }

  /** Takes the room for a run of these steps; the bound that it would break, where there is none. */
  take(by: Cause, steps: readonly Step[]): Bound | null {
    const { runs, asker } = this.#originOf(by)
    if (runs.waitSeconds > 0) return 'cause'
    if (comesOfAutomation(by) && this.#cascade.take(asker) > 0) return 'cascade'
    runs.take(runsOf(steps))
    return null
  }

  /** Whether it is to be told that something of this cause was refused: once for each cause. */
  tells(by: Cause): boolean {
    const origin = this.#originOf(by)
    const now = this.#clock.monotonic()
    if (origin.toldAt !== null && now - origin.toldAt < TOLD_AGAIN_MS) return false
    origin.toldAt = now
    return true
  }

  #originOf(cause: Cause): Origin {
    const known = this.#origins.get(cause)
    if (known !== undefined) return known
    const origin = { asker: whoAsks(cause), runs: new TokenBucket(this.#clock, RUNS_OF_CAUSE), toldAt: null }
    // The gateway's own cause is one object for all that it reads again, however far apart.
    if (cause !== GATEWAY_CAUSE) this.#origins.set(cause, origin)
    return origin
  }
}

/** The run itself and each scene that it runs. */
function runsOf(steps: readonly Step[]): number {
  return steps.reduce((runs, step) => ('scene' in step ? runs + 1 : runs), 1)
}
