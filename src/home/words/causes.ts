import type { ActivityEntry, Subject, Cause } from '../model/events.ts'
import type { DeviceKey } from '../model/device.ts'
import { CONSOLE_USED } from '../model/presence.ts'
import type { PlaceReference } from '../model/rule-parts.ts'
import { OPENING_REFUSED } from './commands.ts'
import { OUTSIDE } from './values.ts'

/** An integration's view by the home's own ids: the name of an object, or null if it is hidden or missing. */
export interface CauseView {
  /** The integration that reads: only its own credentials are named. */
  readonly integration: string
  device(key: DeviceKey): string | null
  scene(id: string): string | null
  place(place: PlaceReference): string | null
  automation(id: string): string | null
  schedule(id: string): string | null
  /** By its reference: `automation:x`. */
  rule(reference: string): string | null
  mode(id: string): string | null
  /** Name of a person, or of `anyone`. */
  person(id: string): string | null
  calendar(id: string): string | null
  /** The name of somebody who acted, or `somebody`. */
  actor(name: string): string
  /** Name of the member whose record this is; null for other integrations, and for hidden members. */
  memberOf(integration: string): string | null
  /** True if unit settings are visible (knob advanced_config). */
  readonly showsSettings: boolean
}

/**
 * A cause as an integration may see it. `ref` is the home's own id of an exposed device, scene, automation or schedule.
 */
export interface ExposedCause extends Omit<Cause, 'integration' | 'by'> {
  /** The credential, if it belongs to the integration. */
  readonly link?: string
  readonly by?: ExposedCause
}

const HIDDEN: ExposedCause = { source: 'gateway', name: OUTSIDE }

/**
 * Makes a stored cause visible to an integration: integrations, agents and platforms by name; people by name or as
 * `somebody`; automations, schedules, scenes and units only while exposed. The chain ends at its first hidden part,
 * which is not named.
 */
export function exposeCause(cause: Cause, view: CauseView): ExposedCause {
  if (isHidden(cause, view)) return HIDDEN
  return {
    source: cause.source,
    name: nameOf(cause, view),
    ...(cause.ref === undefined ? {} : { ref: cause.ref }),
    ...(isOwnCredential(cause, view) ? { link: cause.link } : {}),
    ...(cause.confirmedBy === undefined ? {} : { confirmedBy: view.actor(cause.confirmedBy) }),
    ...(cause.by === undefined ? {} : { by: exposeCause(cause.by, view) }),
  }
}

/** An agent of a member acts for the member. */
function nameOf({ source, name, integration }: Cause, view: CauseView): string {
  if (source === 'person') return view.actor(name)
  const member = source === 'agent' && integration !== undefined ? view.memberOf(integration) : null
  return member === null ? name : `${name}, for ${member}`
}

/** True if a cause has a credential of the view's integration; a person has none. */
function isOwnCredential(cause: Cause, { integration }: CauseView): cause is Cause & { readonly link: string } {
  return cause.link !== undefined && cause.integration === integration && cause.source !== 'person'
}

function isHidden({ source, ref }: Cause, view: CauseView): boolean {
  if (ref === undefined) return false
  switch (source) {
    case 'automation':
    case 'schedule':
    case 'scene':
    case 'mode':
      return view[source](ref) === null
    case 'unit':
      return view.device(ref) === null
    case 'presence':
      return view.person(ref) === null
    case 'person':
    case 'integration':
    case 'agent':
    case 'voice':
    case 'platform':
    case 'gateway':
      return false
  }
}

/**
 * An entry as an integration may see it: without the hidden part of its cause and without facts that name other
 * objects.
 */
interface ExposedEntry extends Omit<ActivityEntry, 'cause'> {
  readonly cause: ExposedCause
}

/** Facts that are values of the subject itself. Triggers, conditions, steps and runs may name hidden objects. */
const OPEN_FACTS: readonly string[] = ['from', 'to', 'until', 'command', 'failure', 'missed', 'down', 'demo']

/** Callers pass only entries with a visible subject: the page's filter has removed the others. */
export function exposeEntry(entry: ActivityEntry, view: CauseView): ExposedEntry {
  const open = Object.entries(entry.data ?? {}).filter(([name]) => OPEN_FACTS.includes(name))
  const { id, at, kind, subject } = entry
  return {
    id,
    at,
    kind,
    subject,
    what: visiblePhrase(entry, view),
    cause: exposeCause(entry.cause, view),
    ...(open.length === 0 ? {} : { data: Object.fromEntries(open) }),
  }
}

/**
 * Phrase of an entry. It hides the value of a setting that the integration may not see, and another integration's
 * reason for a refused opening.
 */
export function visiblePhrase(entry: ActivityEntry, view: Pick<CauseView, 'showsSettings' | 'integration'>): string {
  if (entry.data?.['refusal'] !== undefined && entry.data['integration'] !== view.integration)
    return `open ${OPENING_REFUSED}`
  if (view.showsSettings) return entry.what
  if (entry.kind === 'setting') return 'a setting was changed'
  return entry.data?.['intent'] === undefined ? entry.what : 'a change of a setting failed'
}

/** A chain in one phrase: `scene Evening, run by automation Dusk, set off by motion at Hall sensor`. */
export function causeWords(cause: ExposedCause, view: CauseView): string {
  const own =
    cause.confirmedBy === undefined
      ? ownCauseWords(cause, view)
      : `${ownCauseWords(cause, view)}, confirmed by ${cause.confirmedBy}`
  return cause.by === undefined
    ? own
    : `${own}, ${cause.source === 'scene' ? 'run by' : 'set off by'} ${causeWords(cause.by, view)}`
}

function ownCauseWords(cause: ExposedCause, view: CauseView): string {
  switch (cause.source) {
    case 'automation':
    case 'schedule':
    case 'scene':
    case 'mode':
      return `${cause.source} ${cause.name}`
    case 'unit': {
      const device = cause.ref === undefined ? null : view.device(cause.ref)
      return device === null ? cause.name : `${cause.name} at ${device}`
    }
    case 'gateway':
      return cause.name === 'gateway' ? 'the gateway' : cause.name
    case 'presence':
      if (cause.name === CONSOLE_USED) return 'a console in the home network'
      return `the presence of ${(cause.ref === undefined ? null : view.person(cause.ref)) ?? OUTSIDE}`
    case 'person':
    case 'integration':
    case 'agent':
    case 'voice':
    case 'platform':
      return cause.name
  }
}

/** The subject's name as the view shows it; rules and scenes with their kind. */
export function subjectWords(subject: Subject, view: CauseView): string {
  switch (subject.kind) {
    case 'device':
      return view.device(subject.id) ?? OUTSIDE
    case 'scene':
    case 'steps':
      return `scene ${view.scene(subject.id) ?? OUTSIDE}`
    case 'automation':
    case 'schedule':
      return `${subject.kind} ${view[subject.kind](subject.id) ?? OUTSIDE}`
    case 'group':
    case 'room':
    case 'floor':
    case 'integration':
    case 'home':
    case 'mode':
    case 'person':
      return `the ${subject.kind}`
  }
}
