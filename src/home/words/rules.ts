import type { CalendarTrigger } from '../model/calendars.ts'
import type { TouchKey } from '../model/device.ts'
import type { PresenceTrigger } from '../model/presence.ts'
import {
  type Automation,
  type ChangeCause,
  type Condition,
  type DeviceCondition,
  type GroupCondition,
  parseRuleReference,
  type RuleStep,
  type TimedTrigger,
  type WindowCondition,
  type Schedule,
  type Step,
  type TellStep,
  type TreeStep,
  type TimeRule,
  type Trigger,
  isTimed,
  WEEKDAYS,
  type Weekday,
} from '../model/rules.ts'
import { ANYONE } from '../model/presence.ts'
import { commandOf, groupCommandOf, type PlacedPart } from '../model/rule-parts.ts'
import type { DelayStep } from '../model/steps.ts'
import { stepCommandWords } from './commands.ts'
import {
  type DisplayNames,
  calendarName,
  deviceName,
  durationWords,
  groupName,
  modeName,
  OUTSIDE,
  personName,
  readingTestWords,
  sceneName,
  stateTestWords,
} from './values.ts'

const DAY_NAMES: Readonly<Record<Weekday, string>> = {
  1: 'Mon',
  2: 'Tue',
  3: 'Wed',
  4: 'Thu',
  5: 'Fri',
  6: 'Sat',
  7: 'Sun',
}

/** `when Hall light: power is on for 10 min`, `at 07:00 on Mon-Fri`, `30 min before sunset`. */
export function triggerWords(trigger: Trigger, names: DisplayNames): string {
  if (isTimed(trigger)) return timedWords(trigger, names)
  if ('mode' in trigger) return `when the mode becomes ${modeName(trigger.mode, names)}`
  if ('person' in trigger) return `when ${presenceWords(trigger, names)}${forWords(trigger)}`
  if ('scene' in trigger) return `when scene ${sceneName(trigger.scene, names)} starts`
  // A trigger of a group at one of its devices names the device.
  const device = 'device' in trigger ? deviceName(trigger.device, names) : `one of the ${groupName(trigger, names)}`
  if ('touch' in trigger)
    return `when the ${KEY_NAMES[trigger.touch]} of ${device} is touched${trigger.press === undefined ? '' : ` (${trigger.press})`}`
  const wait = 'for' in trigger ? forWords(trigger) : ''
  if ('reachable' in trigger) return `when ${device} ${contactWords(trigger.reachable)}${wait}`
  if ('detection' in trigger)
    return `when ${device} ${trigger.is === false ? 'no longer detects' : 'detects'} ${trigger.detection}`
  return `when ${device}: ${'state' in trigger ? stateTestWords(trigger) : readingTestWords(trigger)}${byWords(trigger)}${wait}`
}

/** `Anna is home`, `everybody is away`. */
function presenceWords({ person, is }: Pick<PresenceTrigger, 'person' | 'is'>, names: DisplayNames): string {
  if (person === ANYONE) return is === 'home' ? 'somebody is home' : 'everybody is away'
  return `${personName(person, names)} is ${is}`
}

export const KEY_NAMES: Readonly<Record<TouchKey, string>> = {
  up: 'up key',
  mode: 'mode key',
  down: 'down key',
  side_left: 'left side button',
  side_right: 'right side button',
}

/** `Hall light: power is on`, `between 22:00 and 06:00 on Fri`, `not (the sun is up)`. */
export function conditionWords(condition: Condition, names: DisplayNames): string {
  const several = (list: readonly Condition[], word: string): string =>
    `(${list.map((inner) => conditionWords(inner, names)).join(` ${word} `)})`
  if ('any' in condition) return several(condition.any, 'or')
  if ('all' in condition) return several(condition.all, 'and')
  if ('not' in condition) return `not (${conditionWords(condition.not, names)})`
  if ('device' in condition) return deviceConditionWords(condition, deviceName(condition.device, names))
  if ('mode' in condition) return `the mode is ${condition.mode.map((mode) => modeName(mode, names)).join(' or ')}`
  if ('person' in condition) return presenceWords(condition, names)
  if ('group' in condition) {
    const which = condition.of === 'any' ? 'one' : 'each'
    return deviceConditionWords(condition, `${which} of the ${groupName(condition, names)}`)
  }
  if ('sun' in condition) return `the sun is ${condition.sun}`
  if ('calendar' in condition) return `${eventWords(condition, names)} is on`
  return 'from' in condition ? `from ${condition.from} to ${condition.until}` : windowWords(condition)
}

function deviceConditionWords(condition: DeviceCondition | GroupCondition, device: string): string {
  const span = `${forWords(condition)}${withinWords(condition)}`
  if ('reachable' in condition) return `${device} ${contactWords(condition.reachable)}${span}`
  if ('detection' in condition) return `${device} detects ${condition.detection}${span}`
  return `${device}: ${'state' in condition ? stateTestWords(condition) : readingTestWords(condition)}${byWords(condition)}${span}`
}

const contactWords = (reachable: boolean): string => (reachable ? 'answers' : 'does not answer')

/** ` for 10 min`; empty without `for`. */
function forWords(test: { readonly for?: number } | object): string {
  return 'for' in test && test.for !== undefined ? ` for ${durationWords(test.for)}` : ''
}

/** ` within the last 30 min`; empty without `within`. */
function withinWords(test: { readonly within?: number } | object): string {
  return 'within' in test && test.within !== undefined ? ` within the last ${durationWords(test.within)}` : ''
}

const CAUSE_WORDS: Readonly<Record<ChangeCause, string>> = {
  touch: 'a touch',
  motion: 'motion',
  own_schedule: 'its own schedule',
  own_timer: 'its own timer',
  command: 'a command',
}

/** ` by a touch`; empty without `by`. */
function byWords(test: { readonly by?: ChangeCause } | object): string {
  return 'by' in test && test.by !== undefined ? ` by ${CAUSE_WORDS[test.by]}` : ''
}

function windowWords({ after, before, days }: WindowCondition): string {
  const window =
    after !== undefined && before !== undefined
      ? `between ${after} and ${before}`
      : after !== undefined
        ? `after ${after}`
        : before !== undefined
          ? `before ${before}`
          : ''
  return `${window}${dayWords(days)}`.trim()
}

/** The conditions of a rule, at the end of its sentence: `, but only if …`. Empty without conditions. */
export function onlyIfWords(conditions: readonly Condition[], names: DisplayNames): string {
  if (conditions.length === 0) return ''
  return `, but only if ${conditionsWords(conditions, names)}`
}

/** Several conditions: `the sun is down and Hall light: power is on`. */
export function conditionsWords(conditions: readonly Condition[], names: DisplayNames): string {
  return conditions.map((condition) => conditionWords(condition, names)).join(' and ')
}

/** A part of a rule in words. */
export function partWords({ kind, part }: PlacedPart, names: DisplayNames): string {
  switch (kind) {
    case 'trigger':
      return triggerWords(part, names)
    case 'condition':
      return conditionWords(part, names)
    case 'step':
      return stepWords(part, names)
  }
}

/** `Hall light: turn on`, `wait 5 min`, `run scene Evening`, `if Hall light: power is on, then (wait 5 min)`. */
export function stepWords(step: Step, names: DisplayNames): string {
  if ('if' in step || 'wait' in step || 'repeat' in step) return treeWords(step, names)
  if ('delay' in step) return delayWords(step)
  if ('tell' in step) return tellWords(step)
  if ('rule' in step) return ruleSwitchWords(step, names)
  if ('restore' in step) return 'return the changed devices to their earlier states'
  if ('mode' in step) return `set the mode to ${modeName(step.mode, names)}`
  if ('scene' in step) return `run scene ${sceneName(step.scene, names)}`
  if ('group' in step) return `the ${groupName(step, names)}: ${stepCommandWords(groupCommandOf(step))}`
  return `${deviceName(step.device, names)}: ${stepCommandWords(commandOf(step))}`
}

function treeWords(step: TreeStep, names: DisplayNames): string {
  const all = (list: readonly Condition[]): string => conditionsWords(list, names)
  const inside = (list: readonly Step[]): string => `(${list.map((one) => stepWords(one, names)).join('; ')})`
  if ('if' in step) {
    const otherwise = step.else === undefined ? '' : `, else ${inside(step.else)}`
    return `if ${all(step.if)}, then ${inside(step.then)}${otherwise}`
  }
  if ('wait' in step) {
    const end = step.else === 'stop' ? 'then stop' : 'then go on'
    return `wait until ${all(step.wait)}, at most ${durationWords(step.timeout)}, ${end}`
  }
  const end = step.until === undefined ? ',' : ` until ${all(step.until)}, at most`
  return `repeat ${inside(step.repeat)} every ${durationWords(step.every)}${end} ${step.times} times`
}

/** `turn off automation Dusk`. */
function ruleSwitchWords({ rule, enabled }: RuleStep, names: DisplayNames): string {
  return `turn ${enabled ? 'on' : 'off'} ${parseRuleReference(rule).kind} ${names.rule(rule) ?? OUTSIDE}`
}

const TOLD = { home: 'the people of the home', everyone: 'everyone', administrators: 'administrators' } as const

/** `tell administrators “{device} is still open”`. */
function tellWords({ tell, to, urgency = 'normal' }: TellStep): string {
  return `tell ${TOLD[to]} “${tell}”${urgency === 'normal' ? '' : ` (${urgency})`}`
}

function delayWords({ delay, random }: DelayStep): string {
  const least = `wait ${durationWords(delay)}`
  return random === undefined ? least : `${least} and by chance up to ${durationWords(random)} more`
}

/** `at 07:00 on Mon-Fri`, `12 h before an event “paper” of the calendar Bins begins`. */
export function timedWords(trigger: TimedTrigger, names: Pick<DisplayNames, 'calendar'>): string {
  if (!('calendar' in trigger)) return timeWords(trigger)
  const { event, offset = 0 } = trigger
  const away = offset === 0 ? 'when' : `${durationWords(Math.abs(offset) * 60)} ${offset < 0 ? 'before' : 'after'}`
  return `${away} ${eventWords(trigger, names)} ${event}`
}

/** `an event “paper” of the calendar Bins`. */
function eventWords(
  { calendar, title }: Pick<CalendarTrigger, 'calendar' | 'title'>,
  names: Pick<DisplayNames, 'calendar'>,
): string {
  return `an event${title === undefined ? '' : ` “${title}”`} of the calendar ${calendarName(calendar, names)}`
}

/** `at 07:00 on Mon-Fri`, `at sunrise`, `15 min after sunset on Sat, Sun`. */
export function timeWords(rule: TimeRule): string {
  const random = rule.random === undefined ? '' : `, up to ${rule.random} min later`
  if ('time' in rule) return `at ${rule.time}${random}${dayWords(rule.days)}`
  const offset = rule.offset ?? 0
  const when =
    offset === 0 ? `at ${rule.sun}` : `${Math.abs(offset)} min ${offset < 0 ? 'before' : 'after'} ${rule.sun}`
  return `${when}${random}${dayWords(rule.days)}`
}

/** ` on Mon-Fri`, ` on Mon, Wed`; empty for every day. */
function dayWords(days: readonly Weekday[] | undefined): string {
  if (days === undefined || days.length === WEEKDAYS.length) return ''
  const sorted = days.toSorted((a, b) => a - b)
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return ' on no day'
  const joined = sorted.length > 2 && last - first === sorted.length - 1
  return ` on ${joined ? `${DAY_NAMES[first]}-${DAY_NAMES[last]}` : sorted.map((day) => DAY_NAMES[day]).join(', ')}`
}

/** Predicate of a paused automation. */
const PAUSED = 'paused, because it kept setting itself off'

/** Reason why a rule cannot start: `is off`; null if it can. */
export function dormantWords(rule: Automation | Schedule): string | null {
  if ('paused' in rule && rule.paused) return `is ${PAUSED}`
  return rule.enabled ? null : 'is off'
}

/**
 * Reason why an automation would not run if it were triggered now, in one sentence; null if it would. `failed`: a
 * condition that is not met.
 */
export function trialWords(
  automation: Pick<Automation, 'enabled' | 'paused'>,
  busy: boolean,
  failed: Condition | null,
  names: DisplayNames,
): string | null {
  if (!automation.enabled) return 'It is turned off.'
  if (automation.paused) return `It is ${PAUSED}: edit it to make it run again.`
  if (failed !== null) return `This condition is not met right now: ${conditionWords(failed, names)}.`
  return busy ? 'It is still running and ignores a second trigger meanwhile.' : null
}
