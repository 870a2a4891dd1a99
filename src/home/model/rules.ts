import { DAY_MS } from '../../lib/durations.ts'
import type { GroupTarget } from './groups.ts'
import type { Author, Origin } from './house.ts'
import type { Audience, MessageUrgency } from './recipients.ts'
import type { CalendarCondition, CalendarTrigger } from './calendars.ts'
import type { PresenceCondition, PresenceTrigger } from './presence.ts'
import type { SceneStep, StepCommand } from './steps.ts'
import type { ChangeTrigger, ReadingKind, Detection, Press, TouchKey } from './device.ts'

/**
 * Automations and schedules (docs/automations.md#why). Devices stand here by device key and scenes by local id; the API
 * wraps both. A weekday is ISO: 1 Monday to 7 Sunday. A time is local to the home, `HH:MM`.
 */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** `dawn` and `dusk` are civil twilight: the sun is 6 degrees below the horizon. */
export const SUN_EVENTS = ['sunrise', 'sunset', 'dawn', 'dusk'] as const
export type SunEvent = (typeof SUN_EVENTS)[number]

export const RUN_MODES = ['single', 'restart', 'queued'] as const
/**
 * Reaction to a trigger while the automation runs: `single` ignores it, `restart` starts again, `queued` runs once more
 * afterwards.
 */
export type RunMode = (typeof RUN_MODES)[number]

export const STEPS_MAX = 100
export const TRIGGERS_MAX = 20
/** Conditions of a rule, those inside others included. */
export const CONDITIONS_MAX = 40
/** Forms (`any`, `all`, `not`) that may stand inside each other. */
export const CONDITION_DEPTH_MAX = 3
/** Most automations, and most schedules, of one home. */
export const RULES_MAX = 2_000
export const NAME_CHARACTERS_MAX = 80
export const DELAY_SECONDS_MIN = 0.1
export const DELAY_SECONDS_MAX = 3_600
/** Branches and repeats around a step. */
export const STEP_DEPTH_MAX = 3
/** Seconds that a step may wait for conditions: a day. */
export const WAIT_SECONDS_MAX = 86_400
/** Seconds between the rounds of a repeat. */
export const EVERY_SECONDS_MAX = 3_600
export const TIMES_MAX = 100
/** Most steps that one run performs. */
export const STEPS_RUN_MAX = 2_000
/** Longest time of one run: a day. */
export const RUN_MS_MAX = DAY_MS
/** Characters of a message of a rule, also with its placeholders filled. */
export const TELL_CHARACTERS_MAX = 200
/** Seconds that a trigger's `for` may wait: a day. */
export const FOR_SECONDS_MAX = 86_400
/** Causes of a change that a rule can ask for, as units report them. */
export const CHANGE_CAUSES = ['touch', 'motion', 'own_schedule', 'own_timer', 'command'] as const
export type ChangeCause = (typeof CHANGE_CAUSES)[number] & ChangeTrigger
/** Minutes before (negative) or after a sunrise or sunset. */
export const SUN_OFFSET_MINUTES_MAX = 360
/** Minutes by which a daily time may be later at random. */
export const RANDOM_MINUTES_MAX = 180

/**
 * Milliseconds that a run may be late after a restart or a clock jump; a later one counts as missed
 * (docs/automations.md#restarts-crashes-and-clocks).
 */
export const LATE_RUN_MS = 5 * 60_000
/** Holds (a trigger's `for`) longer than this survive a restart. */
export const STORED_HOLD_MS = 60_000

/** Field names of states (Spec 2.3). */
export const STATE_FIELDS = ['on', 'bri', 'mode', 'pos', 'move', 'temp', 'fan', 'key', 'locked'] as const
export type StateField = (typeof STATE_FIELDS)[number]

export type Value = boolean | number | string

/** Either `is`, or one or both of `above` and `below` (neither includes its bound). */
export interface Test {
  readonly is?: Value
  readonly above?: number
  readonly below?: number
}

interface RandomTime {
  /** Up to this many minutes later, chosen anew for each date. */
  readonly random?: number
}

interface TimeOfDay extends RandomTime {
  readonly time: string
  /** Missing: every day. */
  readonly days?: readonly Weekday[]
}

interface SunTime extends RandomTime {
  readonly sun: SunEvent
  /** Minutes after the event, negative before it; 0 if missing. */
  readonly offset?: number
  readonly days?: readonly Weekday[]
}

/** A daily time: local, or relative to the sun. */
export type TimeRule = TimeOfDay | SunTime

/** A trigger by the clock. */
export type TimedTrigger = TimeRule | CalendarTrigger

/** A device's state starts to pass the test, and passes it for `for` seconds if given. */
export interface StateTrigger extends Test {
  readonly device: string
  readonly state: StateField
  readonly for?: number
  readonly by?: ChangeCause
}

/** A unit's sensor reading starts to pass the test. */
export interface ReadingTrigger extends Test {
  readonly device: string
  readonly reading: ReadingKind
  readonly for?: number
}

/** A unit detects something; `is` false: the detection ends. */
export interface DetectionTrigger {
  readonly device: string
  readonly detection: Detection
  readonly is?: boolean
}

/** A key of a unit is touched, whether or not a state changes. */
export interface TouchTrigger {
  readonly device: string
  readonly touch: TouchKey
  /** Missing: any touch. */
  readonly press?: Press
}

/** A unit stops answering, or answers again. */
export interface ReachableTrigger {
  readonly device: string
  readonly reachable: boolean
  readonly for?: number
}

/** A scene starts. */
export interface SceneTrigger {
  readonly scene: string
}

/** The home gets this mode. */
export interface ModeTrigger {
  readonly mode: string
}

/** A test of each device of a group in place of one device. */
type OfGroup<T> = T extends { readonly device: string } ? GroupTarget & Omit<T, 'device'> : never

/** A test starts to hold, or a detection happens, at a device of a group. */
export type GroupTrigger = OfGroup<StateTrigger | ReadingTrigger | DetectionTrigger | ReachableTrigger>

export type Trigger =
  | StateTrigger
  | ReadingTrigger
  | DetectionTrigger
  | TouchTrigger
  | ReachableTrigger
  | GroupTrigger
  | TimedTrigger
  | SceneTrigger
  | ModeTrigger
  | PresenceTrigger

/** A test in the past, in seconds: it has held `for` so long, or has held `within` that time. */
interface PastTest {
  readonly for?: number
  readonly within?: number
}

interface StateCondition extends Test, PastTest {
  readonly device: string
  readonly state: StateField
  /** The value was changed last in this way. */
  readonly by?: ChangeCause
}

interface ReadingCondition extends Test, PastTest {
  readonly device: string
  readonly reading: ReadingKind
}

/** A unit detects something, or did so within this time. */
interface DetectionCondition {
  readonly device: string
  readonly detection: Detection
  readonly within: number
}

/**
 * A time window and the weekdays on which it starts. Without `after` it starts with the day, without `before` it ends
 * with the day. A window whose end is not after its start ends on the following day.
 */
export interface WindowCondition {
  readonly after?: string
  readonly before?: string
  readonly days?: readonly Weekday[]
}

/** The unit answers, or does not. */
interface ReachableCondition extends PastTest {
  readonly device: string
  readonly reachable: boolean
}

export const SUN_PLACES = ['up', 'down'] as const

/** The sun is above or below the horizon. */
interface SunCondition {
  readonly sun: (typeof SUN_PLACES)[number]
}

/** The local date is one of these, both ends included: `MM-DD` of every year, or `YYYY-MM-DD`. */
export interface DatesCondition {
  readonly from: string
  readonly until: string
}

/** Holds if one of these holds. */
interface AnyCondition {
  readonly any: readonly Condition[]
}

/** Holds if all of these hold. */
interface AllCondition {
  readonly all: readonly Condition[]
}

/** Holds if this one does not. */
interface NotCondition {
  readonly not: Condition
}

/** A condition about a device. */
export type DeviceCondition = StateCondition | ReadingCondition | DetectionCondition | ReachableCondition

/** The mode of the home is one of these. */
interface ModeCondition {
  readonly mode: readonly string[]
}

export const GROUP_QUANTIFIERS = ['any', 'all'] as const

/** A test of one or of each device of a group that has the tested value. Without such a device it is unknown. */
export type GroupCondition = OfGroup<DeviceCondition> & { readonly of: (typeof GROUP_QUANTIFIERS)[number] }

/** A condition without conditions inside. */
export type LeafCondition =
  | DeviceCondition
  | GroupCondition
  | WindowCondition
  | SunCondition
  | DatesCondition
  | CalendarCondition
  | ModeCondition
  | PresenceCondition

export type Condition = LeafCondition | AnyCondition | AllCondition | NotCondition

/** One operation on the devices of a group that take it, except one that opens a lock or gate. */
export type GroupStep = GroupTarget & StepCommand

/** Runs a scene. */
export interface RunSceneStep {
  readonly scene: string
}

/** Sets the mode of the home for good. */
export interface ModeStep {
  readonly mode: string
}

/** Performs `then` if all conditions hold when the run comes to it, otherwise `else`. */
export interface BranchStep {
  readonly if: readonly Condition[]
  readonly then: readonly Step[]
  readonly else?: readonly Step[]
}

export const WAIT_ENDS = ['go_on', 'stop'] as const

/** Waits until all conditions hold, at most `timeout` seconds; `else` says what happens then (default `go_on`). */
export interface WaitStep {
  readonly wait: readonly Condition[]
  readonly timeout: number
  readonly else?: (typeof WAIT_ENDS)[number]
}

/**
 * Performs its steps up to `times` times, with `every` seconds after each round. With `until` it ends once all of these
 * conditions hold before a round, and fails if they hold after no round.
 */
export interface RepeatStep {
  readonly repeat: readonly Step[]
  readonly every: number
  readonly until?: readonly Condition[]
  readonly times: number
}

/** Returns each device that the run has changed to its earlier state, except where somebody acted since. */
export interface RestoreStep {
  /** Always true. */
  readonly restore: boolean
}

/** People who get a message of a rule: those of the home, everyone who sees its devices, or administrators. */
export const TELL_TO = ['home', 'everyone', 'administrators'] as const satisfies readonly Audience[]

/** Sends a message to people. The text may hold placeholders, filled from the trigger when the run comes to it. */
export interface TellStep {
  readonly tell: string
  readonly to: (typeof TELL_TO)[number]
  /** Missing: normal. */
  readonly urgency?: MessageUrgency
}

/** Switches an automation or schedule (`automation:x`) on or off, as an edit with a new revision. */
export interface RuleStep {
  readonly rule: string
  readonly enabled: boolean
}

/** Kind and id in the reference of a rule. */
export function parseRuleReference(reference: string): { readonly kind: RuleKind; readonly id: string } {
  const colon = reference.indexOf(':')
  return { kind: reference.slice(0, colon) === 'schedule' ? 'schedule' : 'automation', id: reference.slice(colon + 1) }
}

/** A step with others inside, or with conditions. */
export type TreeStep = BranchStep | WaitStep | RepeatStep

/** A step of an automation or schedule. */
export type Step = SceneStep | GroupStep | RunSceneStep | ModeStep | TreeStep | RestoreStep | TellStep | RuleStep

interface Rule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  /** Counts up from 1 with every edit. */
  readonly revision: number
  readonly origin: Origin | null
  /** The credential that last saved its action or enabled it. */
  readonly author: Author
  /** Epoch ms of the last edit; times before it do not count as missed. */
  readonly changedAt: number
}

export interface Automation extends Rule {
  readonly when: readonly Trigger[]
  readonly if: readonly Condition[]
  readonly then: readonly Step[]
  readonly mode: RunMode
  /** True once a loop was cut, until the next edit. */
  readonly paused: boolean
}

export interface Schedule extends Rule {
  readonly at: Omit<TimeOfDay, 'days'> | Omit<SunTime, 'days'>
  readonly days: readonly Weekday[]
  readonly if: readonly Condition[]
  readonly then: readonly Step[]
}

export interface RuleOf {
  automation: Automation
  schedule: Schedule
}
export type RuleKind = keyof RuleOf

/** The fields that a person or client sets; the gateway keeps the rest. */
export type AutomationDraft = Pick<Automation, 'name' | 'enabled' | 'when' | 'if' | 'then' | 'mode'>
export type ScheduleDraft = Pick<Schedule, 'name' | 'enabled' | 'at' | 'days' | 'if' | 'then'>

export interface DraftOf {
  automation: AutomationDraft
  schedule: ScheduleDraft
}

/** The fields that an edit may change. */
export const DRAFT_FIELDS: { readonly [K in RuleKind]: readonly string[] } = {
  automation: ['name', 'enabled', 'when', 'if', 'then', 'mode'] satisfies (keyof AutomationDraft)[],
  schedule: ['name', 'enabled', 'at', 'days', 'if', 'then'] satisfies (keyof ScheduleDraft)[],
}

export function timeRuleOf(schedule: Pick<Schedule, 'at' | 'days'>): TimeRule {
  return { ...schedule.at, days: schedule.days }
}

export function isTimed(trigger: Trigger): trigger is TimedTrigger {
  return 'time' in trigger || 'sun' in trigger || 'calendar' in trigger
}
