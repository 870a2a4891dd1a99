import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { type ActivityEntry, type Subject, subjectKey } from '../../home/model/activity.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { ActivityQuery, ActivityStore, SubjectFilter } from '../../home/ports/history-store.ts'
import type { RunOf } from '../../home/ports/rule-store.ts'
import { exposeEntry } from '../../home/record/expose-cause.ts'
import type { RemovedDevices } from '../../home/record/removed-devices.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import type { records } from '../contract/records.ts'
import type { Refuse } from '../errors.ts'
import { type CauseJson, causeJson, causeView, isRuleShown, subjectId } from '../exposed-causes.ts'
import type { HandlerCall } from '../handler.ts'
import { removedById, removedFor } from '../removed.ts'
import { refuseBackwards } from './range.ts'
import { isRunShown } from './runs.ts'

export interface ActivityParts {
  readonly activity: Pick<ActivityStore, 'page'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly removed: Pick<RemovedDevices, 'list' | 'get'>
  readonly clock: Clock
}

/** Spec 8: default range. */
const ACTIVITY_RANGE_MS = 30 * 24 * 60 * 60_000
const PAGE_DEFAULT = 50
/** Entries that one request looks through for those that fit kind, source and rule, and how many it reads at once. */
const LOOKED_THROUGH_MAX = 400
const READ_AT_ONCE = 200

type Call = HandlerCall<(typeof records)['activity.list']>
type Page = { readonly entries: readonly EntryJson[]; readonly nextTo: number | null }

interface EntryJson {
  readonly id: string
  readonly at: number
  readonly device: string | null
  readonly kind: ActivityEntry['kind']
  readonly what: string
  readonly cause: CauseJson
  readonly subject: Exclude<Subject['kind'], 'steps'>
  readonly gone?: { readonly name: string | null }
  readonly data?: Readonly<Record<string, unknown>>
}

/** A page of what happened to what the integration is shown, newest first (docs/activity.md#pages). */
export function activityPage({ query, view, refuse }: Call, parts: ActivityParts): Page {
  const now = parts.clock.now()
  const to = query.to ?? now + 1
  // Counted from now: with a range that slid with `to`, whoever follows `nextTo` would never reach its end.
  const from = query.from ?? now - ACTIVITY_RANGE_MS
  if (query.from !== undefined) refuseBackwards(from, to, refuse)
  const asked = {
    subjects: subjectsOf(query.device, view, parts, refuse),
    from,
    to,
    limit: query.limit ?? PAGE_DEFAULT,
  }
  const names = causeView(view, parts.rules)
  const read = (wanted: ActivityQuery): Page => {
    const { entries, nextTo } = parts.activity.page(wanted)
    return { entries: entries.map((entry) => entryJson(entry, view, names, parts)), nextTo }
  }
  const fits = entryFilter(query, view, parts.rules, refuse)
  return fits === null ? read(asked) : fittingPage(asked, fits, read)
}

/**
 * Whether an entry is what was asked for, judged by what the integration is shown of it and by nothing else; null where
 * everything is asked for.
 */
function entryFilter(
  { kind, source, rule }: Call['query'],
  view: ExposedHouse,
  rules: ActivityParts['rules'],
  refuse: Refuse<'not_found'>,
): ((entry: EntryJson) => boolean) | null {
  if (rule !== undefined && !seesRule(rule, view, rules)) refuse('not_found')
  if (kind === undefined && source === undefined && rule === undefined) return null
  return (entry) =>
    (kind === undefined || entry.kind === kind) &&
    (source === undefined || entry.cause.source === source) &&
    (rule === undefined || entry.device === rule || isCausedBy(entry.cause, rule))
}

/** While its knob is off a rule is not there, as in the causes of entries. */
function seesRule(id: string, view: ExposedHouse, rules: ActivityParts['rules']): boolean {
  return (['automation', 'schedule'] as const).some((kind) => {
    const local = view.ids.local(kind, id)
    return local !== null && isRuleShown(kind, local, view, rules)
  })
}

function isCausedBy(cause: CauseJson, id: string): boolean {
  return cause.ref === id || (cause.by !== undefined && isCausedBy(cause.by, id))
}

/** Reads on until a page is full of what fits, nothing is left, or enough was looked through. */
function fittingPage(
  asked: ActivityQuery,
  fits: (entry: EntryJson) => boolean,
  read: (wanted: ActivityQuery) => Page,
): Page {
  const found: EntryJson[] = []
  let { to } = asked
  for (let looked = 0; looked < LOOKED_THROUGH_MAX;) {
    const { entries, nextTo } = read({ ...asked, to, limit: READ_AT_ONCE })
    found.push(...entries.filter(fits))
    if (found.length > asked.limit) return cut(found, asked.limit)
    if (nextTo === null) return { entries: found, nextTo: null }
    to = nextTo
    looked += entries.length
  }
  return { entries: found, nextTo: to }
}

/** The first `limit` of some entries, without splitting a millisecond; one that holds more than `limit` stays whole. */
function cut(entries: readonly EntryJson[], limit: number): Page {
  const edge = entries[limit]?.at ?? 0
  const whole = entries.filter(({ at }) => at > edge)
  const page = whole.length > 0 ? whole : entries.filter(({ at }) => at === edge)
  return { entries: page, nextTo: page.at(-1)?.at ?? null }
}

/**
 * Which entries exist for an integration: those about what it shows. Access changes are the administrators' business.
 */
function subjectsOf(
  deviceId: string | undefined,
  view: ExposedHouse,
  { rules, removed }: Pick<ActivityParts, 'rules' | 'removed'>,
  refuse: Refuse<'not_found'>,
): SubjectFilter {
  const moves = (device: DeviceKey): boolean => view.byKey(device) !== undefined
  if (deviceId !== undefined) {
    const gone = removedById(deviceId, view, removed)
    if (gone !== null) return { only: gone.map((id) => subjectKey({ kind: 'device', id })), moves }
    const thing = view.device(deviceId) ?? view.scene(deviceId) ?? refuse('not_found')
    if (thing.type === 'scene') return { only: [subjectKey({ kind: 'scene', id: thing.local })], moves }
    return {
      only: [thing, ...thing.gangs]
        .filter((device) => !device.onlyGangs)
        .map((device) => subjectKey({ kind: 'device', id: device.key })),
      moves,
    }
  }
  const { knobs, exposure } = view.integration
  const hiddenKinds: Subject['kind'][] = [
    'integration',
    ...(knobs.automations === 'on' ? [] : ['automation' as const]),
    ...(knobs.schedules === 'on' ? [] : ['schedule' as const]),
  ]
  if (exposure.expose === 'All') return { all: true, except: hiddenKinds }
  const visible = (kind: 'automation' | 'schedule'): Subject[] => {
    if (knobs[`${kind}s`] === 'off') return []
    return [...view.rules.of(rules[`${kind}s`])].map((id) => ({ kind, id }))
  }
  const subjects: Subject[] = [
    ...[...view.devices()]
      .filter((device) => !device.onlyGangs)
      .map((device: ExposedDevice): Subject => ({ kind: 'device', id: device.key })),
    ...view.scenes.map((scene): Subject => ({ kind: 'scene', id: scene.local })),
    ...view.floors.flatMap((floor): Subject[] => [
      { kind: 'floor', id: floor.local },
      ...floor.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ]),
    ...view.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ...visible('automation'),
    ...visible('schedule'),
  ]
  return { only: subjects.map(subjectKey), moves }
}

function entryJson(
  entry: ActivityEntry,
  view: ExposedHouse,
  names: ReturnType<typeof causeView>,
  { rules, removed }: Pick<ActivityParts, 'rules' | 'removed'>,
): EntryJson {
  const { subject, cause, data, ...open } = exposeEntry(entry, names)
  const told = { ...data, ...runTold(entry, view, rules) }
  return {
    ...open,
    device: subjectId(subject, view),
    subject: subject.kind === 'steps' ? 'scene' : subject.kind,
    cause: causeJson(cause, view),
    ...goneOf(subject, view, removed),
    ...(Object.keys(told).length === 0 ? {} : { data: told }),
  }
}

/** The name that a device had, where it left the house. */
function goneOf(subject: Subject, view: ExposedHouse, removed: ActivityParts['removed']): Pick<EntryJson, 'gone'> {
  if (subject.kind !== 'device' || view.byKey(subject.id) !== undefined) return {}
  const known = removedFor(view, removed).find(({ key }) => key === subject.id)
  return known === undefined ? {} : { gone: { name: known.name } }
}

/** The run that an entry is about, while the integration may ask about runs of the same. */
function runTold(
  { subject, data }: ActivityEntry,
  view: ExposedHouse,
  rules: ActivityParts['rules'],
): { readonly run?: string } {
  const run = data?.['run']
  const of = ranOf(subject)
  return typeof run === 'string' && of !== null && isRunShown({ of }, view, rules) ? { run } : {}
}

function ranOf(subject: Subject): RunOf | null {
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
