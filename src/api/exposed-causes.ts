import type { z } from 'zod'
import type { CauseShape } from './contract/activity-entry.ts'
import type { Plain } from './contract/endpoint.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Subject } from '../home/model/events.ts'
import { ANYONE } from '../home/model/presence.ts'
import type { CauseView, ExposedCause } from '../home/words/causes.ts'
import { parseRuleReference } from '../home/model/rules.ts'
import type { Rules } from '../home/rules/rules.ts'

/** A cause with the integration's own ids; `by` is the cause before it. */
export type CauseJson = Plain<z.output<typeof CauseShape>>

/** The rules of the home, for deciding whether to show them. */
export type ShownRules = Pick<Rules, 'automations' | 'schedules'>

/** True if an integration sees an automation or schedule with this local id, which needs the knob. */
export function isRuleShown(
  kind: 'automation' | 'schedule',
  id: string,
  view: ExposedHouse,
  rules: ShownRules,
): boolean {
  if (view.integration.knobs[`${kind}s`] === 'off') return false
  return view.rules.of(rules[`${kind}s`]).has(id)
}

/**
 * Names of exposed things, for causes and explanations; automations and schedules need their knob. An integration that
 * exposes everything also gets a phrase for deleted things, so that entries keep their cause.
 */
export function causeView(view: ExposedHouse, rules: Pick<Rules, 'automations' | 'schedules'>): CauseView {
  const { knobs, exposure } = view.integration
  const removedName = (what: string): string | null => (exposure.expose === 'All' ? `a removed ${what}` : null)
  const ruleName = (knob: 'automations' | 'schedules', id: string, what: string): string | null => {
    if (knobs[knob] === 'off') return null
    const rule = rules[knob].get(id)
    if (rule === undefined) return removedName(what)
    return view.rules.of(rules[knob]).has(id) ? rule.name : null
  }
  return {
    integration: view.integration.id,
    actor: (name) => shownActor(name, view),
    memberOf: (id) => {
      const record = view.groupMembers.integration(id)
      return record?.kind === 'member' && shownActor(record.name, view) === record.name ? record.name : null
    },
    showsSettings: knobs.advanced_config !== 'off',
    device: (key) => view.byKey(key)?.name ?? removedName('unit'),
    scene: (id) => view.scene(view.ids.of('scene', id))?.name ?? removedName('scene'),
    calendar: (id) => view.calendars.find((calendar) => calendar.id === id)?.name ?? null,
    place: ({ kind, id }) => view[kind](view.ids.of(kind, id))?.name ?? removedName(kind),
    automation: (id) => ruleName('automations', id, 'automation'),
    schedule: (id) => ruleName('schedules', id, 'schedule'),
    person: (id) => (view.showsPerson(id) ? personName(id, view) : null),
    rule: (reference) => {
      const { kind, id } = parseRuleReference(reference)
      return ruleName(`${kind}s`, id, kind)
    },
    mode: (id) =>
      view.modes.find((mode) => mode.id === id)?.name ?? (view.modes.length > 0 ? removedName('mode') : null),
  }
}

const SOMEBODY = 'somebody'
/** Names of callers without an account, and of a confirmation by code. */
const IMPERSONAL = /^(?:administrator \(|operator token “|a person with the administrator's code$)/

/** Name of a person, or `somebody`: views without people know no names except their own member's. */
export function shownActor(name: string, { integration }: Pick<ExposedHouse, 'integration'>): string {
  const isOwn = integration.kind === 'member' && integration.name === name
  return integration.people === 'each' || isOwn || IMPERSONAL.test(name) ? name : SOMEBODY
}

function personName(id: string, { people }: ExposedHouse): string {
  return id === ANYONE ? ANYONE : (people.find((person) => person.id === id)?.name ?? '')
}

export function causeJson(cause: ExposedCause, view: ExposedHouse): CauseJson {
  const { by, ref, ...open } = cause
  return {
    ...open,
    // A cause without an id is one of many that were removed long ago.
    ...(ref === undefined || ref === '' ? {} : { ref: refId(cause, ref, view) }),
    ...(by === undefined ? {} : { by: causeJson(by, view) }),
  }
}

function refId(cause: ExposedCause, ref: string, view: ExposedHouse): string {
  const { source } = cause
  if (source === 'mode' || source === 'presence') return ref
  return source === 'scene' || source === 'automation' || source === 'schedule'
    ? view.ids.of(source, ref)
    : view.ids.device(ref)
}

/** Id of the subject of an entry, if it has an id in this API. */
export function subjectId(subject: Subject, view: ExposedHouse): string | null {
  switch (subject.kind) {
    case 'device':
      return view.ids.device(subject.id)
    case 'steps':
      return view.ids.of('scene', subject.id)
    case 'scene':
    case 'group':
    case 'room':
    case 'floor':
    case 'automation':
    case 'schedule':
      // The subject is one of many that were removed long ago.
      return subject.id === '' ? null : view.ids.of(subject.kind, subject.id)
    case 'integration':
    case 'home':
    case 'mode':
    case 'person':
      return null
  }
}
