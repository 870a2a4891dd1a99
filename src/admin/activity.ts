import type { House } from '../home/house/house.ts'
import { type ActivityEntry, type Subject, type SubjectKey, subjectKey, type Cause } from '../home/model/events.ts'
import type { RemovedDevices } from '../home/record/removed-devices.ts'
import type { ActivityQuery, ActivityStore } from '../home/ports/history-store.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { Clock } from '../lib/clock.ts'
import type { AdminActivityEntry, activity } from './contract/activity.ts'
import type { AdminCall, AdminHandlersOf } from './dispatch.ts'
import type { AdminTopicSource } from './events.ts'

export interface ActivityAdminParts {
  readonly activity: Pick<ActivityStore, 'page' | 'search' | 'onStored' | 'entriesAt'>
  readonly house: Pick<House, 'devices' | 'scenes' | 'groups' | 'rooms' | 'floors' | 'people'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly removed: Pick<RemovedDevices, 'get'>
  readonly clock: Clock
}

const PAGE_DEFAULT = 50
/** Rows that one search scans; entries that a search by device or room scans, and the entries of one read. */
const ROWS_SCANNED_MAX = 20_000
const SCANNED_MAX = 2_000
const READ_AT_ONCE = 200
/** Delay for collecting entries, and the entries of one message. */
const COLLECT_MS = 100
const ENTRIES_PER_MESSAGE = 200

type Query = AdminCall<(typeof activity)['activity.list']>['query']
type Attribution = Pick<ActivityEntry, 'subject' | 'cause'>
interface Page {
  readonly entries: readonly ActivityEntry[]
  readonly nextTo: number | null
}

/** Handler of the complete activity log for administrators. */
export function activityAdminHandlers(parts: ActivityAdminParts): AdminHandlersOf<typeof activity> {
  return {
    'activity.list': ({ query }) => {
      const { entries, nextTo } = pageOf(query, parts)
      return { entries: entries.map((entry) => viewOf(entry, parts)), nextTo }
    },
  }
}

/** Topic of new entries in storage order, whatever the clock says: `{entries}`, oldest first. */
export function activityTopic(parts: ActivityAdminParts): AdminTopicSource {
  return (send) => {
    // Entries stored during the delay; the history's writer bounds them (`WRITES_WAITING_MAX`).
    let places: number[] = []
    let cancel: (() => void) | null = null
    const sendNew = (): void => {
      const collected = places
      places = []
      cancel = null
      const entries = parts.activity.entriesAt(collected).map((entry) => viewOf(entry, parts))
      for (let start = 0; start < entries.length; start += ENTRIES_PER_MESSAGE)
        send({ entries: entries.slice(start, start + ENTRIES_PER_MESSAGE) })
    }
    const stop = parts.activity.onStored((place) => {
      places.push(place)
      cancel ??= parts.clock.after(COLLECT_MS, sendNew)
    })
    return () => {
      stop()
      cancel?.()
    }
  }
}

function pageOf(query: Query, { activity: store, house }: ActivityAdminParts): Page {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, limit = PAGE_DEFAULT } = query
  const base: ActivityQuery = { subjects: subjectsOf(query, house), from, to, limit }
  const { kind, source, integration, rule } = query
  if ([kind, source, integration, rule].every((filter) => filter === undefined)) return store.page(base)
  if (!('all' in base.subjects)) return fitting(base, (entry) => fits(entry, query), store)
  const mentions = [integration, rule].filter((id) => id !== undefined)
  const of = { kind, source, mentions, fits: (entry: Attribution): boolean => matchesCause(entry, query) }
  return store.search({ from, to, limit, ...of, rowsMax: ROWS_SCANNED_MAX })
}

/** Subjects in both the queried device and the queried room; all subjects without either. */
function subjectsOf({ device, room }: Query, { devices }: ActivityAdminParts['house']): ActivityQuery['subjects'] {
  const keyOf = (id: string): SubjectKey => subjectKey({ kind: 'device', id })
  if (device === undefined && room === undefined) return { all: true }
  if (room === undefined) return { only: [keyOf(device ?? '')] }
  const inRoom = [...devices.values()].filter((device) => device.room === room).map(({ key }) => keyOf(key))
  const only = [...inRoom, subjectKey({ kind: 'room', id: room })]
  return { only: device === undefined ? only : only.filter((subject) => subject === keyOf(device)) }
}

/** Reads on until the page is full of matches, no entries remain, or the scan limit is reached. */
function fitting(
  base: ActivityQuery,
  fit: (entry: ActivityEntry) => boolean,
  store: Pick<ActivityStore, 'page'>,
): Page {
  const found: ActivityEntry[] = []
  let { to } = base
  for (let scanned = 0; scanned < SCANNED_MAX;) {
    const { entries, nextTo } = store.page({ ...base, to, limit: READ_AT_ONCE })
    scanned += entries.length
    for (const [at, entry] of entries.entries()) {
      if (fit(entry)) found.push(entry)
      // A page never splits a millisecond, because the next page begins before it.
      const isLastOfIts = entries[at + 1]?.at !== entry.at
      if (found.length >= base.limit && isLastOfIts) return { entries: found, nextTo: entry.at }
    }
    if (nextTo === null) return { entries: found, nextTo: null }
    to = nextTo
  }
  return { entries: found, nextTo: to }
}

const fits = (entry: ActivityEntry, query: Query): boolean =>
  (query.kind === undefined || query.kind === entry.kind) && matchesCause(entry, query)

/** True if the entry matches the query's source, integration and rule. */
function matchesCause({ subject, cause }: Attribution, query: Query): boolean {
  const causes = chainOf(cause)
  const { integration, rule } = query
  return (
    (query.source === undefined || query.source === cause.source) &&
    (integration === undefined ||
      isOf(subject, 'integration', integration) ||
      causes.some((cause) => cause.integration === integration)) &&
    (rule === undefined ||
      ['scene', 'steps', 'automation', 'schedule'].some((kind) => isOf(subject, kind, rule)) ||
      causes.some(({ ref, source }) => ref === rule && source !== 'unit'))
  )
}

const isOf = (subject: Subject, kind: string, id: string): boolean =>
  subject.kind === kind && 'id' in subject && subject.id === id

const chainOf = (cause: Cause): readonly Cause[] => [cause, ...(cause.by === undefined ? [] : chainOf(cause.by))]

function viewOf(entry: ActivityEntry, parts: ActivityAdminParts): AdminActivityEntry {
  const { id, at, kind, subject, what, cause, data } = entry
  return {
    id,
    at,
    kind,
    subject: subject.kind === 'steps' ? 'scene' : subject.kind,
    subjectId: 'id' in subject ? subject.id : null,
    name: nameOf(subject, parts),
    what,
    cause: withMember(cause, parts),
    ...(data === undefined ? {} : { data }),
  }
}

/** An agent in the record of a member acts for the member. */
function withMember(cause: Cause, parts: Pick<ActivityAdminParts, 'integrations'>): Cause {
  const record = cause.source === 'agent' ? parts.integrations.get(cause.integration ?? '') : undefined
  const name = record?.kind === 'member' ? `${cause.name}, for ${record.name}` : cause.name
  return { ...cause, name, ...(cause.by && { by: withMember(cause.by, parts) }) }
}

function nameOf(subject: Subject, { house, rules, integrations, removed }: ActivityAdminParts): string | null {
  switch (subject.kind) {
    case 'home':
    case 'mode':
      return null
    case 'person':
      return house.people.get(subject.id)?.name ?? null
    case 'device':
      return house.devices.get(subject.id)?.name ?? removed.get(subject.id)?.name ?? null
    case 'scene':
    case 'steps':
      return house.scenes.get(subject.id)?.name ?? null
    case 'group':
      return house.groups.get(subject.id)?.name ?? null
    case 'room':
      return house.rooms.get(subject.id)?.name ?? null
    case 'floor':
      return house.floors.get(subject.id)?.name ?? null
    case 'automation':
      return rules.automations.get(subject.id)?.name ?? null
    case 'schedule':
      return rules.schedules.get(subject.id)?.name ?? null
    case 'integration':
      return integrations.get(subject.id)?.name ?? null
  }
}
