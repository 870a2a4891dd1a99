import { parseDeviceKey } from '../../model/device.ts'
import type { TestedPresence } from '../../model/presence.ts'
import { partsOf, type PartPath } from '../../model/rule-parts.ts'
import type {
  Condition,
  DetectionTrigger,
  DeviceCondition,
  GroupCondition,
  LeafCondition,
  Test,
  Value,
} from '../../model/rules.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { inCalendar } from '../time/calendar-dates.ts'
import type { Where } from '../time/local-time.ts'
import { inDates, inWindow, needsPlace, sunIsUp } from '../time/occurrence.ts'

/** True if a value passes a test; an unknown value never does. */
export function passes(test: Test, value: Value | null | undefined): boolean {
  if (value === null || value === undefined) return false
  if (test.is !== undefined) return value === test.is
  if (typeof value !== 'number') return false
  return (test.above === undefined || value > test.above) && (test.below === undefined || value < test.below)
}

/** Time for which a test has held, or since it last did, in steady milliseconds. */
export interface TestSpan {
  /** Null if a value that decides is unknown. */
  readonly holds: boolean | null
  /** Null if it does not hold. */
  readonly heldMs: number | null
  /** Null while it holds, and if it is not known to have held. */
  readonly endedMs: number | null
}

/** The present home, for conditions. */
export interface Present {
  readonly states: StateReader
  /** The span of a test, without regard to its `for` and `within`. */
  readonly spanOf: (test: DeviceCondition) => TestSpan
  /** The test of a group for each of its devices. */
  readonly testsOf: (condition: GroupCondition) => readonly DeviceCondition[]
  /** Epoch ms. */
  readonly now: number
  readonly where: Where
}

export interface LeafVerdict {
  readonly condition: LeafCondition
  /** Its place in the condition; empty for the condition itself. */
  readonly path: PartPath
  /** The tested value; null if unknown, and for times and dates. */
  readonly value: Value | null
  readonly holds: boolean
}

export interface Verdict {
  readonly condition: Condition
  /** The tested value; null if unknown, for times and dates, and for conditions with others inside. */
  readonly value: Value | null
  readonly holds: boolean
  /** The conditions inside it that hold no others, and the tests of groups; empty if it has none. */
  readonly leaves: readonly LeafVerdict[]
}

/** Most devices of groups with a verdict of their own. */
export const GROUP_LEAVES_MAX = 100

/** Tests one condition now. An unknown value fails the test, also inside `not`. */
export function judge(condition: Condition, present: Present): Verdict {
  const inner = [...partsOf(condition)].map(({ part, path }) => ({ path, condition: part as Condition }))
  const plain = inner.filter((placed) => isLeaf(placed.condition))
  const ofGroups = [{ path: [], condition }, ...inner].flatMap((placed) => groupLeaves(placed, present))
  const leaves = [...plain, ...ofGroups.slice(0, GROUP_LEAVES_MAX)].map(({ path, condition: leaf }) => ({
    path,
    ...leafVerdict(leaf as LeafCondition, present),
  }))
  if (isLeaf(condition)) return { ...leafVerdict(condition, present), leaves }
  return { condition, value: null, holds: outcomeOf(condition, present) === true, leaves }
}

interface PlacedCondition {
  readonly path: PartPath
  readonly condition: Condition
}

/** The tests of the devices of a group, at its place. */
function groupLeaves({ path, condition }: PlacedCondition, present: Present): readonly PlacedCondition[] {
  return 'group' in condition ? present.testsOf(condition).map((test) => ({ path, condition: test })) : []
}

/** First condition that does not hold now, with its place; null if all hold. */
export function firstFailed(
  conditions: readonly Condition[],
  present: Present,
): { readonly condition: Condition; readonly index: number } | null {
  for (const [index, condition] of conditions.entries())
    if (outcomeOf(condition, present) !== true) return { condition, index }
  return null
}

function isLeaf(condition: Condition): condition is LeafCondition {
  return !('any' in condition || 'all' in condition || 'not' in condition)
}

function leafVerdict(condition: LeafCondition, present: Present): Omit<LeafVerdict, 'path'> {
  return { condition, value: testedValue(condition, present.states), holds: leafOutcome(condition, present) === true }
}

/** True or false, or null if a value that decides is unknown. */
function outcomeOf(condition: Condition, present: Present): boolean | null {
  if (isLeaf(condition)) return leafOutcome(condition, present)
  if ('not' in condition) {
    const inner = outcomeOf(condition.not, present)
    return inner === null ? null : !inner
  }
  const [list, quantifier] = 'any' in condition ? [condition.any, 'any' as const] : [condition.all, 'all' as const]
  return together(
    quantifier,
    list.map((inner) => outcomeOf(inner, present)),
  )
}

/** True if one or all outcomes are true, or null if an unknown one decides. */
function together(quantifier: 'any' | 'all', outcomes: readonly (boolean | null)[]): boolean | null {
  const deciding = quantifier === 'any'
  if (outcomes.includes(deciding)) return deciding
  return outcomes.includes(null) ? null : !deciding
}

function leafOutcome(condition: LeafCondition, present: Present): boolean | null {
  const { now, where } = present
  if ('device' in condition) return deviceOutcome(condition, present)
  if ('group' in condition) {
    const tests = present.testsOf(condition)
    if (tests.length === 0) return null
    return together(
      condition.of,
      tests.map((test) => deviceOutcome(test, present)),
    )
  }
  if ('mode' in condition) return condition.mode.includes(present.states.mode().mode)
  if ('person' in condition) return presenceOutcome(condition, present.states)
  if ('sun' in condition) {
    const isUp = sunIsUp(now, where)
    return isUp === null ? null : isUp === (condition.sun === 'up')
  }
  if ('from' in condition) return inDates(condition, now, where)
  if ('calendar' in condition) return inCalendar(condition, now, where)
  return where.place === null && needsPlace(condition) ? null : inWindow(condition, now, where)
}

function deviceOutcome(condition: DeviceCondition, present: Present): boolean | null {
  return needsSpan(condition)
    ? spanOutcome(condition, present.spanOf(condition))
    : testOutcome(condition, present.states)
}

/** True for a test of more than the present value. */
export function needsSpan(condition: Condition): condition is DeviceCondition {
  return 'device' in condition && ['for', 'within', 'by'].some((field) => field in condition)
}

function spanOutcome(condition: DeviceCondition, { holds, heldMs, endedMs }: TestSpan): boolean | null {
  if ('for' in condition && condition.for !== undefined && holds === true) return (heldMs ?? 0) >= condition.for * 1_000
  if ('within' in condition && condition.within !== undefined && endedMs !== null)
    return endedMs <= condition.within * 1_000 || holds
  return holds
}

/** The outcome of a test for the present value alone: without `for`, `within` and `by`. */
export function testOutcome(test: DeviceCondition, states: StateReader): boolean | null {
  const value = testedValue(test, states)
  return value === null ? null : valuePasses(test, value)
}

/** True or false, or null while the presence is unknown. */
export function presenceOutcome(
  { person, is }: { readonly person: string; readonly is: TestedPresence },
  states: Pick<StateReader, 'presence'>,
): boolean | null {
  const presence = presenceOf(person, states)
  return presence === null ? null : presence === is
}

function presenceOf(person: string, states: Pick<StateReader, 'presence'>): TestedPresence | null {
  const { is } = states.presence(person)
  return is === 'unknown' ? null : is
}

export function valuePasses(test: DeviceCondition, value: Value): boolean {
  if ('reachable' in test) return value === test.reachable
  return 'detection' in test ? value === true : passes(test, value)
}

/** The present value that a condition or trigger tests; null if unknown, and for times and dates. */
export function testedValue(condition: LeafCondition | DetectionTrigger, states: StateReader): Value | null {
  if ('mode' in condition) return states.mode().mode
  if ('person' in condition) return presenceOf(condition.person, states)
  if (!('device' in condition)) return null
  if ('reachable' in condition) return states.reachable(parseDeviceKey(condition.device).unit)
  if ('state' in condition) return field(states.state(condition.device), condition.state)
  // A detection is a reading too: true from its start to its end.
  return field(states.readings(condition.device), 'reading' in condition ? condition.reading : condition.detection)
}

function field(record: object | null, name: string): Value | null {
  // States and readings are flat records of primitives; their fields depend on the device.
  return (record as Readonly<Record<string, Value | null | undefined>> | null)?.[name] ?? null
}
