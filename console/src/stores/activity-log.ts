import { effect } from '@preact/signals'
import type { ActivityEntry, Cause } from '@hm-gateway/client/src/browser.ts'
import { roomsOf } from '../lib/house-units.ts'
import type { ActivityCause, AdminActivityEntry, AdminPaths } from '../lib/admin-contract.ts'
import { localIdOf } from '../lib/page-paths.ts'
import { onAdminTopic } from './admin-topics.ts'
import { homeChanges, house, scenes } from './home.ts'
import { localDevices } from './local-devices.ts'
import { isAdministrator } from './own-session.ts'
import { admin, owner } from './session.ts'

/** Filter of `GET /admin/v1/activity`; the page's address has the same parameters. */
export type ActivityFilter = Omit<
  NonNullable<AdminPaths['/admin/v1/activity']['get']['query']>,
  'from' | 'to' | 'limit'
>

/** Part of the log. `nextTo` is the end of the next older part; null at the end of the log. */
export interface LogPage {
  readonly entries: readonly AdminActivityEntry[]
  readonly nextTo: number | null
}

/** Time range in epoch ms, `to` exclusive. */
interface Range {
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** A page of the log, newest first. A member reads the entries of their own view. @throws HmError */
export async function readLog(filter: ActivityFilter, { from, to, limit }: Range): Promise<LogPage> {
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), limit }
  if (isAdministrator.peek()) {
    const texts = Object.fromEntries(Object.entries(range).map(([name, value]) => [name, String(value)]))
    return admin.call('get', '/admin/v1/activity', { query: { ...filter, ...texts } })
  }
  const { kind, source, device } = filter
  const { entries, nextTo } = await owner.activity({
    ...range,
    ...(kind === undefined ? {} : { kind }),
    ...(source === undefined ? {} : { source }),
    ...(device === undefined ? {} : { device: localDevices.peek().get(device)?.id ?? device }),
  })
  return { entries: entries.map(localEntry).filter((entry) => matches(entry, filter)), nextTo }
}

/** Changes within this time cause one request. */
const COLLECT_MS = 1_000

interface LogListener {
  /** Entries of the stream, the oldest first. */
  readonly receive: (entries: readonly AdminActivityEntry[]) => void
  /** Newer entries may exist. */
  readonly read: () => void
}

/** Follows new entries. A member has no stream of them, and reads after each change of the home. */
export function followLog({ receive, read }: LogListener): () => void {
  if (isAdministrator.peek()) return onAdminTopic('activity', ({ entries }) => receive(entries))
  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = homeChanges.peek()
  const stop = effect(() => {
    if (homeChanges.value === seen) return
    seen = homeChanges.value
    timer ??= setTimeout(() => {
      timer = undefined
      read()
    }, COLLECT_MS)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** Applies the filter to an entry, by the same rule as the gateway. */
export function matches({ kind, subject, subjectId, cause }: AdminActivityEntry, filter: ActivityFilter): boolean {
  const causes = causeChain(cause)
  const { integration, rule, room, device } = filter
  const isOf = (subjects: readonly string[], id: string): boolean => subjects.includes(subject) && subjectId === id
  return (
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.source === undefined || filter.source === cause.source) &&
    (device === undefined || isOf(['device'], device)) &&
    (room === undefined || isOf(['room'], room) || (subject === 'device' && localRoomWith(subjectId) === room)) &&
    (integration === undefined ||
      isOf(['integration'], integration) ||
      causes.some((link) => link.integration === integration)) &&
    (rule === undefined ||
      isOf(['scene', 'automation', 'schedule'], rule) ||
      causes.some(({ ref, source }) => ref === rule && source !== 'unit'))
  )
}

/** A cause, its own cause, and so on. */
export const causeChain = (cause: ActivityCause): readonly ActivityCause[] => [
  cause,
  ...(cause.by === undefined ? [] : causeChain(cause.by)),
]

const localRoomWith = (device: string | null): string | null | undefined => localDevices.value.get(device ?? '')?.room

/** An entry of the service in the shape of the administrators' API: local ids, and the subject's name. */
function localEntry({ id, at, kind, subject, device, what, cause, gone, data }: ActivityEntry): AdminActivityEntry {
  return {
    ...{ id, at, subject, what },
    kind: kind as AdminActivityEntry['kind'],
    subjectId: device && localSubject(device),
    name: gone?.name ?? (device && nameOf(device)),
    cause: localCause(cause),
    ...(data === undefined ? {} : { data: { ...data } }),
  }
}

/** `gateway:record:scene:dinner` becomes `dinner`; a device keeps its gang. */
const localSubject = (id: string): string =>
  localIdOf(id).replace(/^(?:room|floor|scene|group|automation|schedule):/, '')

function nameOf(id: string): string | null {
  const home = house.peek()
  const places = home === null ? [] : [...roomsOf(home), ...home.floors, ...home.groups]
  return (
    localDevices.peek().get(localIdOf(id))?.name ??
    [...places, ...scenes.peek()].find((thing) => thing.id === id)?.name ??
    null
  )
}

function localCause({ source, ref, by, ...cause }: Cause): ActivityCause {
  return {
    ...cause,
    source: source as ActivityCause['source'],
    ...(ref === undefined ? {} : { ref: localSubject(ref) }),
    ...(by === undefined ? {} : { by: localCause(by) }),
  }
}
