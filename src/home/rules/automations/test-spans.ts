import { canonicalJson } from '../../../lib/canonical-json.ts'
import type { Clock } from '../../../lib/clock.ts'
import { DAY_MS } from '../../../lib/durations.ts'
import type { Log } from '../../../lib/log.ts'
import { type ChangeTrigger, type DeviceKey, parseDeviceKey } from '../../model/device.ts'
import type { HomeEvent } from '../../model/events.ts'
import { partsOf, type Referring } from '../../model/rule-parts.ts'
import type { DeviceCondition } from '../../model/rules.ts'
import type { PastReader, PastValue } from '../../ports/history-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { needsSpan, type TestSpan, testOutcome, valuePasses } from './conditions.ts'

interface TestSpansParts {
  readonly states: StateReader
  readonly past: PastReader
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Log
  /** Epoch ms since which the id names the present unit: older values belong to another one. */
  readonly since: (device: DeviceKey) => number
}

/** Times in steady ms, as the history knows them: the test has held since `since`, or held last at `last`. */
interface Earlier {
  readonly since: number | null
  readonly last: number | null
}

interface FollowedTest {
  readonly test: DeviceCondition
  /** Rules that have the test. */
  readonly owners: Set<string>
  /** The last change of the tested value, as the unit reported it; null if unknown. */
  by: ChangeTrigger | null
  holds: boolean | null
  since: number | null
  last: number | null
  /** Values of the history, used until the present value is known. */
  earlier: Earlier | null
}

/** Most tests that are followed for devices of groups. */
const FOLLOWED_MAX = 20_000

/**
 * Follows the tests of conditions with `for`, `within` or `by`. It counts steady time, so that no jump of the clock
 * changes a span. The history tells the beginning of spans from before a start or the creation of a rule.
 */
export class TestSpans {
  readonly #parts: TestSpansParts
  readonly #tests = new Map<string, FollowedTest>()
  readonly #bySource = new Map<string, Set<FollowedTest>>()
  readonly #ofOwner = new Map<string, readonly FollowedTest[]>()

  constructor(parts: TestSpansParts) {
    this.#parts = parts
  }

  /** Forgets everything, before the rules start and events arrive. */
  clear(): void {
    this.#tests.clear()
    this.#bySource.clear()
    this.#ofOwner.clear()
  }

  /** Replaces the tests of a rule; null if it does not run. */
  put(owner: string, rule: Referring | null): void {
    const conditions =
      rule === null
        ? []
        : partsOf({ if: rule.if, then: rule.then }).flatMap(({ kind, part }) => (kind === 'condition' ? [part] : []))
    const tests = conditions.filter((part) => needsSpan(part)).map((condition) => this.#follow(condition, owner))
    for (const test of this.#ofOwner.get(owner) ?? []) if (!tests.includes(test)) this.#leave(test, owner)
    if (tests.length > 0) this.#ofOwner.set(owner, tests)
    else this.#ofOwner.delete(owner)
  }

  onHomeEvent(event: HomeEvent): void {
    switch (event.kind) {
      case 'state':
        for (const test of this.#from(`state:${event.device}`)) {
          if (event.changed && event.previous !== null && changed(test.test, event)) test.by = event.trigger
          this.#judge(test)
        }
        return
      case 'readings':
        return this.#judgeAll(`readings:${event.device}`)
      case 'unit':
        return this.#judgeAll(`unit:${event.unit}`)
      case 'forgotten':
        return this.#judgeAll(`state:${event.device}`)
      case 'rebound':
        for (const test of this.#tests.values()) if (unitOf(test.test) === event.unit) this.#begin(test)
        return
      default:
    }
  }

  /**
   * The span of a condition's test until now. A test that no rule has is read from the history. With an owner, which
   * has it by a group, it is followed from then on.
   */
  of(condition: DeviceCondition, owner: string | null): TestSpan {
    const { holds, since, last } = this.#tests.get(keyOf(condition)) ?? this.#found(condition, owner)
    const now = this.#parts.clock.monotonic()
    return {
      holds,
      heldMs: holds === true && since !== null ? now - since : null,
      endedMs: holds === true || last === null ? null : now - last,
    }
  }

  #found(condition: DeviceCondition, owner: string | null): FollowedTest {
    if (owner === null || this.#tests.size >= FOLLOWED_MAX) return this.#begin(followed(condition))
    const test = this.#follow(condition, owner)
    this.#ofOwner.set(owner, [...(this.#ofOwner.get(owner) ?? []), test])
    return test
  }

  #follow(condition: DeviceCondition, owner: string): FollowedTest {
    const key = keyOf(condition)
    const known = this.#tests.get(key)
    const test = known ?? this.#begin(followed(condition))
    test.owners.add(owner)
    if (known) return known
    this.#tests.set(key, test)
    const source = sourceOf(test.test)
    const others = this.#bySource.get(source)
    if (others) others.add(test)
    else this.#bySource.set(source, new Set([test]))
    return test
  }

  #leave(test: FollowedTest, owner: string): void {
    test.owners.delete(owner)
    if (test.owners.size > 0) return
    this.#tests.delete(keyOf(test.test))
    const source = sourceOf(test.test)
    this.#bySource.get(source)?.delete(test)
    if (this.#bySource.get(source)?.size === 0) this.#bySource.delete(source)
  }

  #from(source: string): Iterable<FollowedTest> {
    return this.#bySource.get(source) ?? []
  }

  #judgeAll(source: string): void {
    for (const test of this.#from(source)) this.#judge(test)
  }

  /** Begins with the knowledge of the history. */
  #begin(test: FollowedTest): FollowedTest {
    const { by, ...earlier } = this.#earlierOf(test.test)
    Object.assign(test, { by, earlier, holds: null, since: null, last: earlier.since ?? earlier.last })
    this.#judge(test)
    return test
  }

  #judge(test: FollowedTest): void {
    const outcome = this.#outcomeOf(test)
    if (outcome === test.holds) return
    const now = this.#parts.clock.monotonic()
    if (outcome === true) test.since = test.earlier?.since ?? now
    else if (test.holds === true) test.last = now
    if (outcome !== null) test.earlier = null
    test.holds = outcome
  }

  #outcomeOf({ test, by }: FollowedTest): boolean | null {
    const outcome = testOutcome(test, this.#parts.states)
    if (!('by' in test) || test.by === undefined || outcome !== true) return outcome
    return by === null ? null : by === test.by
  }

  /** Reads the history back to the last change of the test's outcome, at most a day. */
  #earlierOf(test: DeviceCondition): Earlier & { readonly by: ChangeTrigger | null } {
    const { past, clock, log, since: replacedAt } = this.#parts
    const [now, steady] = [clock.now(), clock.monotonic()]
    const steadyAt = (at: number | null): number | null => (at === null ? null : steady - (now - at))
    try {
      // A wrong clock may have stored values of the future; they do not count.
      const values = past.valuesOf(test, now + 1)
      const { since, last, by } = lastSpan(test, values, { from: now - DAY_MS, replacedAt: replacedAt(test.device) })
      return { since: steadyAt(since), last: steadyAt(last), by }
    } catch (error) {
      log.error({ err: error }, 'The history could not be read. Conditions of the past count from now on.')
      return { since: null, last: null, by: null }
    }
  }
}

interface PastRange {
  /** Epoch ms. The first older value still counts, because it held at this time. */
  readonly from: number
  readonly replacedAt: number
}

/** Epoch ms at which the newest value began to pass the test, or at which an earlier one ended. */
function lastSpan(test: DeviceCondition, values: Iterable<PastValue>, { from, replacedAt }: PastRange) {
  const span = { since: null as number | null, last: null as number | null, by: null as ChangeTrigger | null }
  let newest: boolean | null = null
  let later: number | null = null
  for (const value of values) {
    if (value.at < replacedAt) break
    const isPassing = pastPasses(test, value)
    const wasPassing = passedBefore(test, value)
    if (newest === null) Object.assign(span, { by: value.by })
    newest ??= isPassing
    if (newest && !isPassing) break
    if (newest) span.since = value.at
    else if (isPassing) span.last = later
    else if (wasPassing === true) span.last = value.at
    if (span.last !== null || (newest && wasPassing === false) || value.at < from) break
    later = value.at
  }
  return span
}

function pastPasses(test: DeviceCondition, { value, by }: Pick<PastValue, 'value' | 'by'>): boolean {
  return valuePasses(test, value) && (!('by' in test) || test.by === undefined || test.by === by)
}

/** True or false for the value until then, or null if it is unknown whether it passed. */
function passedBefore(test: DeviceCondition, { before }: PastValue): boolean | null {
  if (before === undefined) return null
  if (!valuePasses(test, before)) return false
  return 'by' in test && test.by !== undefined ? null : true
}

function followed({ ...test }: DeviceCondition): FollowedTest {
  return { test, owners: new Set(), by: null, holds: null, since: null, last: null, earlier: null }
}

/** Equal for conditions that differ only in `for` and `within`. */
function keyOf(condition: DeviceCondition): string {
  return canonicalJson({ ...condition, for: undefined, within: undefined })
}

function sourceOf(test: DeviceCondition): string {
  if ('reachable' in test) return `unit:${unitOf(test)}`
  return `${'state' in test ? 'state' : 'readings'}:${test.device}`
}

function unitOf({ device }: DeviceCondition): string {
  return parseDeviceKey(device).unit
}

/** True if an event changed the tested field. */
function changed(test: DeviceCondition, { state, previous }: Extract<HomeEvent, { kind: 'state' }>): boolean {
  if (!('state' in test)) return false
  const [after, before] = [state, previous] as readonly Readonly<Record<string, unknown>>[]
  return after?.[test.state] !== before?.[test.state]
}
