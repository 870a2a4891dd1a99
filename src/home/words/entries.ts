import type { ActivityEntry, Subject } from '../model/events.ts'
import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import { type CauseView, type ExposedCause, visiblePhrase, causeWords, subjectWords } from './causes.ts'
import type { Condition } from '../model/rules.ts'
import { conditionWords } from './rules.ts'
import { isObject } from '../../lib/json.ts'
import { deviceName, type TimeWords } from './values.ts'

/** An entry of the activity log as one sentence: the subject, the change, the time, and the chain of causes. */
export function entryWords(entry: ActivityEntry, cause: ExposedCause, view: CauseView, when: TimeWords): string {
  const name = capital(subjectWords(entry.subject, view))
  const at = when.say(entry.at)
  const what = visiblePhrase(entry, view)
  switch (entry.kind) {
    case 'state':
    case 'run':
      return `${name} ${what}${deviceOf(entry, view)} ${at}${suffix(': ', originOf(entry.subject, cause), entry.subject, view)}.`
    case 'failed':
    case 'refused':
      return `${name}: ${what} (${at}${suffix(', asked by ', originOf(entry.subject, cause), entry.subject, view)}).`
    case 'skipped':
      return `${name} ${what}${conditionOf(entry, view)} (${at}${suffix(askedToStop(entry) ? ', asked by ' : ', set off by ', originOf(entry.subject, cause), entry.subject, view)}).`
    case 'unit':
    case 'detection':
    case 'link':
      return `${name}: ${what} ${at}.`
    case 'edited':
    case 'setting':
    case 'access':
      return `${name}: ${what} ${at}${suffix(': ', cause, entry.subject, view)}.`
  }
}

/** The cause that started a rule or scene; the rule itself is not repeated. */
function originOf(subject: Subject, cause: ExposedCause): ExposedCause | undefined {
  const kind = subject.kind === 'steps' ? 'scene' : subject.kind
  const itself = subject.kind !== 'device' && 'id' in subject && cause.source === kind && cause.ref === subject.id
  return itself ? cause.by : cause
}

function suffix(before: string, cause: ExposedCause | undefined, subject: Subject, view: CauseView): string {
  if (cause === undefined) return ''
  return `${before}${isOwnDoing(cause, subject) ? cause.name : causeWords(cause, view)}`
}

/** True if the unit itself was the cause: the sentence then does not name it twice. */
function isOwnDoing(cause: ExposedCause, subject: Subject): boolean {
  if (cause.source !== 'unit' || cause.ref === undefined || subject.kind !== 'device') return false
  return unitOf(cause.ref) === unitOf(subject.id)
}

/** The device of the group that started a rule, unless its cause names it. */
function deviceOf({ data }: ActivityEntry, view: CauseView): string {
  const trigger = data?.['trigger']
  if (!isObject(trigger) || !('group' in trigger && 'state' in trigger)) return ''
  return typeof trigger['device'] === 'string' ? ` for ${deviceName(trigger['device'], view)}` : ''
}

function conditionOf(entry: ActivityEntry, view: CauseView): string {
  const condition = entry.data?.['condition']
  return isCondition(condition) ? ` (${conditionWords(condition, view)})` : ''
}

function askedToStop({ data }: ActivityEntry): boolean {
  return data?.['stopped'] === true
}

/** Fields that tell a condition from other data of an entry. */
const CONDITION_FIELDS = [
  'state',
  'reading',
  'detection',
  'reachable',
  'mode',
  'person',
  'after',
  'before',
  'days',
  'sun',
  'from',
  'calendar',
  'any',
  'all',
  'not',
]

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && CONDITION_FIELDS.some((field) => field in value)
}

function unitOf(key: DeviceKey): string {
  return parseDeviceKey(key).unit
}

/** Text with a capital first letter, to start a sentence. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
