import { type LocalDay, ZoneTime } from '../../lib/zone-time.ts'
import type { ActivityEntry, Subject } from '../model/activity.ts'
import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import { type CauseView, type ExposedCause, OUTSIDE, causePhrase, shownWhat } from '../record/expose-cause.ts'
import { renderCondition } from '../rules/render.ts'
import type { Condition } from '../rules/model.ts'

/** Says times as people in the home do: `at 14:03`, or `at 14:03 on 2027-03-04` for another day than the last one asked about. */
export class When {
  readonly #zone: ZoneTime
  readonly #today: LocalDay

  constructor(timeZone: string, to: number) {
    this.#zone = new ZoneTime(timeZone)
    this.#today = this.#zone.at(to - 1).day
  }

  say(at: number): string {
    const { day, minute } = this.#zone.at(at)
    const time = `at ${two(Math.floor(minute / 60))}:${two(minute % 60)}`
    return day === this.#today ? time : `${time} on ${String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}`
  }
}

/** The subject's name as the view shows it; rules and scenes with what they are. */
export function nameOf(subject: Subject, view: CauseView): string {
  switch (subject.kind) {
    case 'device':
      return view.device(subject.id) ?? OUTSIDE
    case 'scene':
    case 'steps':
      return `scene ${view.scene(subject.id) ?? OUTSIDE}`
    case 'automation':
      return `automation ${view.automation(subject.id) ?? OUTSIDE}`
    case 'schedule':
      return `schedule ${view.schedule(subject.id) ?? OUTSIDE}`
    case 'room':
    case 'floor':
    case 'integration':
    case 'home':
      return `the ${subject.kind}`
  }
}

/** An entry of the activity log as one sentence: what happened to what, when, and through which chain. */
export function entrySentence(entry: ActivityEntry, cause: ExposedCause, view: CauseView, when: When): string {
  const name = capital(nameOf(entry.subject, view))
  const at = when.say(entry.at)
  const what = shownWhat(entry, view)
  switch (entry.kind) {
    case 'state':
    case 'run':
      return `${name} ${what} ${at}${suffix(': ', originOf(entry.subject, cause), entry.subject, view)}.`
    case 'failed':
    case 'refused':
      return `${name}: ${what} (${at}${suffix(', asked by ', originOf(entry.subject, cause), entry.subject, view)}).`
    case 'skipped':
      return `${name} ${what}${conditionOf(entry, view)} (${at}${suffix(', set off by ', originOf(entry.subject, cause), entry.subject, view)}).`
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

/** What set a rule or scene off is told of its entries; that it did itself what it did goes without saying. */
function originOf(subject: Subject, cause: ExposedCause): ExposedCause | undefined {
  const kind = subject.kind === 'steps' ? 'scene' : subject.kind
  const itself =
    subject.kind !== 'device' && subject.kind !== 'home' && cause.source === kind && cause.ref === subject.id
  return itself ? cause.by : cause
}

function suffix(before: string, cause: ExposedCause | undefined, subject: Subject, view: CauseView): string {
  if (cause === undefined) return ''
  return `${before}${isOwnDoing(cause, subject) ? cause.name : causePhrase(cause, view)}`
}

/** The unit's own doing is told without saying once more which unit it is. */
function isOwnDoing(cause: ExposedCause, subject: Subject): boolean {
  if (cause.source !== 'unit' || cause.ref === undefined || subject.kind !== 'device') return false
  return unitOf(cause.ref) === unitOf(subject.id)
}

function conditionOf(entry: ActivityEntry, view: CauseView): string {
  const condition = entry.data?.['condition']
  return isCondition(condition) ? ` (${renderCondition(condition, view)})` : ''
}

function isCondition(value: unknown): value is Condition {
  return (
    typeof value === 'object' &&
    value !== null &&
    ('state' in value || 'reading' in value || 'after' in value || 'before' in value || 'days' in value)
  )
}

function unitOf(key: DeviceKey): string {
  return parseDeviceKey(key).unit
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
