import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { type ActivityEntry, type Subject, subjectKey } from '../../home/model/events.ts'
import type { ActivityQuery, ActivityStore, SubjectFilter } from '../../home/ports/history-store.ts'
import type { RunOf } from '../../home/ports/rule-store.ts'
import { exposeEntry } from '../../home/words/causes.ts'
import type { AnswerOf } from '../contract-client.ts'
import type { Contract } from '../contract/index.ts'
import type { Refuse } from '../errors.ts'
import { causeJson, type CauseJson, causeView, isRuleShown, subjectId } from '../exposed-causes.ts'
import type { HandlerCall } from '../handler.ts'
import { removedById, removedFor } from './energy-scope.ts'
import { refuseBackwards } from './range.ts'
import { isRunShown } from './rules.ts'
import type { ThingKind } from '../../exposure/device-id.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { RemovedDevices } from '../../home/record/removed-devices.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Clock } from '../../lib/clock.ts'

export type ActivityParts = SubjectParts

/** Spec 8: default range. */
const ACTIVITY_RANGE_MS = 30 * 24 * 60 * 60_000
const PAGE_DEFAULT = 50
/** Entries that one request scans for matches of kind, source and rule, and the entries of one read. */
const SCANNED_MAX = 400
const READ_AT_ONCE = 200

type Call = HandlerCall<Contract['activity.list']>
type Page = { readonly entries: readonly EntryJson[]; readonly nextTo: number | null }

type EntryJson = AnswerOf<Contract['activity.list']>['entries'][number]

/** A page of the activity about exposed things, newest first (docs/activity.md#pages). */
export function activityPage({ query, view, refuse }: Call, parts: ActivityParts): Page {
  const now = parts.clock.now()
  const to = query.to ?? now + 1
  // The range counts from now: if it slid with `to`, a client that follows `nextTo` would never reach its end.
  const from = query.from ?? now - ACTIVITY_RANGE_MS
  if (query.from !== undefined) refuseBackwards(from, to, refuse)
  const subjects = query.device === undefined ? visibleSubjects(view, parts) : subjectsById(query.device, view, parts)
  if (subjects === null) return refuse('not_found', { field: 'device' })
  const base = {
    subjects,
    from,
    to,
    limit: query.limit ?? PAGE_DEFAULT,
  }
  const names = causeView(view, parts.rules)
  const read = (query: ActivityQuery): Page => {
    const { entries, nextTo } = parts.activity.page(query)
    return { entries: entries.map((entry) => entryJson(entry, view, names, parts)), nextTo }
  }
  const fits = entryFilter(query, view, parts, refuse)
  return fits === null ? read(base) : fittingPage(base, fits, read)
}

/** Predicate for the query's filters. It judges only the exposed part of an entry; null without filters. */
function entryFilter(
  { kind, source, rule }: Call['query'],
  view: ExposedHouse,
  parts: ActivityParts,
  refuse: Refuse<'not_found'>,
): ((entry: EntryJson) => boolean) | null {
  if (rule !== undefined && !seesRule(rule, view, parts)) refuse('not_found', { field: 'rule' })
  if (kind === undefined && source === undefined && rule === undefined) return null
  return (entry) =>
    (kind === undefined || entry.kind === kind) &&
    (source === undefined || entry.cause.source === source) &&
    (rule === undefined || entry.device === rule || isCausedBy(entry.cause, rule))
}

function isCausedBy(cause: CauseJson, id: string): boolean {
  return cause.ref === id || (cause.by !== undefined && isCausedBy(cause.by, id))
}

/** Reads on until the page is full of matches, no entries remain, or the scan limit is reached. */
function fittingPage(
  base: ActivityQuery,
  fits: (entry: EntryJson) => boolean,
  read: (query: ActivityQuery) => Page,
): Page {
  const found: EntryJson[] = []
  let { to } = base
  for (let scanned = 0; scanned < SCANNED_MAX;) {
    const { entries, nextTo } = read({ ...base, to, limit: READ_AT_ONCE })
    found.push(...entries.filter(fits))
    if (found.length > base.limit) return cut(found, base.limit)
    if (nextTo === null) return { entries: found, nextTo: null }
    to = nextTo
    scanned += entries.length
  }
  return { entries: found, nextTo: to }
}

/**
 * The first `limit` entries, without splitting a millisecond; a millisecond with more entries than `limit` stays whole.
 */
function cut(entries: readonly EntryJson[], limit: number): Page {
  const edge = entries[limit]?.at ?? 0
  const whole = entries.filter(({ at }) => at > edge)
  const page = whole.length > 0 ? whole : entries.filter(({ at }) => at === edge)
  return { entries: page, nextTo: page.at(-1)?.at ?? null }
}

function entryJson(
  entry: ActivityEntry,
  view: ExposedHouse,
  names: ReturnType<typeof causeView>,
  { rules, removed }: Pick<ActivityParts, 'rules' | 'removed'>,
): EntryJson {
  const { subject, cause, data, ...open } = exposeEntry(entry, names)
  const facts = { ...data, ...runField(entry, view, rules) }
  return {
    ...open,
    device: subjectId(subject, view),
    subject: subject.kind === 'steps' ? 'scene' : subject.kind,
    cause: causeJson(cause, view),
    ...removedNameField(subject, view, removed),
    ...(Object.keys(facts).length === 0 ? {} : { data: facts }),
  }
}

/** The last name of a device that left the house. */
function removedNameField(
  subject: Subject,
  view: ExposedHouse,
  removed: ActivityParts['removed'],
): Pick<EntryJson, 'gone'> {
  if (subject.kind !== 'device' || view.byKey(subject.id) !== undefined) return {}
  const known = removedFor(view, removed).find(({ key }) => key === subject.id)
  return known === undefined ? {} : { gone: { name: known.name } }
}

/** The run of an entry, if the integration may read such runs. */
function runField(
  { subject, data }: ActivityEntry,
  view: ExposedHouse,
  rules: ActivityParts['rules'],
): { readonly run?: string } {
  const run = data?.['run']
  const of = runSubject(subject)
  return typeof run === 'string' && of !== null && isRunShown({ of }, view, rules) ? { run } : {}
}

function runSubject(subject: Subject): RunOf | null {
  switch (subject.kind) {
    case 'steps':
      return { kind: 'scene', id: subject.id }
    case 'scene':
    case 'automation':
    case 'schedule':
      return { kind: subject.kind, id: subject.id }
    default:
      return null
  }
}

export interface SubjectParts {
  readonly activity: Pick<ActivityStore, 'page'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly removed: Pick<RemovedDevices, 'list' | 'get'>
  readonly clock: Clock
}

const RULE_KINDS = ['automation', 'schedule'] as const
const THING_KINDS = ['scene', 'group', 'room', 'floor', ...RULE_KINDS] as const satisfies readonly ThingKind[]

/** Subjects of all entries that an integration sees. Access changes and presence are left to administrators. */
export function visibleSubjects(view: ExposedHouse, { rules }: Pick<SubjectParts, 'rules'>): SubjectFilter {
  const { knobs, exposure } = view.integration
  const hiddenKinds: Subject['kind'][] = [
    'integration',
    'person',
    ...RULE_KINDS.filter((kind) => knobs[`${kind}s`] === 'off'),
  ]
  if (exposure.expose === 'All') return { all: true, except: hiddenKinds }
  const visible = (kind: (typeof RULE_KINDS)[number]): Subject[] => {
    if (knobs[`${kind}s`] === 'off') return []
    return [...view.rules.of(rules[`${kind}s`])].map((id) => ({ kind, id }))
  }
  return only(view, [
    ...wholeDevices([...view.devices()]),
    ...view.scenes.map((scene): Subject => ({ kind: 'scene', id: scene.local })),
    // Edits of hidden members stay hidden.
    ...view.groups.flatMap(({ local, hiddenMembers }): Subject[] =>
      hiddenMembers > 0 ? [] : [{ kind: 'group', id: local }],
    ),
    ...view.floors.flatMap((floor): Subject[] => [
      { kind: 'floor', id: floor.local },
      ...floor.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ]),
    ...view.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ...(view.modes.length > 0 ? [{ kind: 'mode' } as const] : []),
    ...visible('automation'),
    ...visible('schedule'),
  ])
}

/**
 * Subjects of the entries about one thing, by any id that an entry may carry; null if the integration does not see it.
 */
export function subjectsById(id: string, view: ExposedHouse, parts: SubjectParts): SubjectFilter | null {
  const removed = removedById(id, view, parts.removed)
  if (removed !== null)
    return only(
      view,
      removed.map((key): Subject => ({ kind: 'device', id: key })),
    )
  const device = view.device(id)
  if (device !== undefined) return only(view, wholeDevices([device, ...device.gangs]))
  const kind = THING_KINDS.find((thingKind) => isSeen(thingKind, id, view, parts))
  return kind === undefined ? null : only(view, [{ kind, id: view.ids.local(kind, id) ?? '' }])
}

/** True if the id names an automation or schedule whose entries the integration sees. */
export function seesRule(id: string, view: ExposedHouse, parts: SubjectParts): boolean {
  return RULE_KINDS.some((kind) => isSeen(kind, id, view, parts))
}

function isSeen(kind: (typeof THING_KINDS)[number], id: string, view: ExposedHouse, parts: SubjectParts): boolean {
  const local = view.ids.local(kind, id)
  if (local === null) return false
  if (kind === 'group' && (view.group(id)?.hiddenMembers ?? 0) > 0) return false
  if (kind !== 'automation' && kind !== 'schedule')
    return view[kind](id) !== undefined || isRemembered({ kind, id: local }, view, parts)
  if (view.integration.knobs[`${kind}s`] === 'off') return false
  return isRuleShown(kind, local, view, parts.rules) || isRemembered({ kind, id: local }, view, parts)
}

/** True for deleted things with entries, if the integration exposes everything: their entries keep their id. */
function isRemembered(subject: Subject, view: ExposedHouse, { activity, clock }: SubjectParts): boolean {
  if (view.integration.exposure.expose !== 'All') return false
  return activity.page({ subjects: only(view, [subject]), from: 0, to: clock.now() + 1, limit: 1 }).entries.length > 0
}

function wholeDevices(devices: readonly ExposedDevice[]): readonly Subject[] {
  return devices.filter(({ onlyGangs }) => !onlyGangs).map(({ key }) => ({ kind: 'device', id: key }))
}

function only(view: ExposedHouse, subjects: readonly Subject[]): SubjectFilter {
  const moves = (device: DeviceKey): boolean => view.byKey(device) !== undefined
  return { only: subjects.map(subjectKey), moves }
}
