import type { ActivityCause, AdminActivityEntry, AdminPaths } from './admin-contract.ts'
import { localDevices } from './stores/local-devices.ts'

/** Which entries are wanted, in the words of `GET /admin/v1/activity`; the address of the page has the same. */
export type ActivityFilter = Omit<
  NonNullable<AdminPaths['/admin/v1/activity']['get']['query']>,
  'from' | 'to' | 'limit'
>

const NAMES = ['kind', 'source', 'room', 'device', 'integration', 'rule'] as const

/** The filter that an address names. What the gateway knows no such word for, it refuses itself. */
export function filterIn(query: Readonly<Record<string, string>>): ActivityFilter {
  return Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** Whether an entry that was just told is among those that are wanted: the gateway's own rule. */
export function fits({ kind, subject, subjectId, cause }: AdminActivityEntry, filter: ActivityFilter): boolean {
  const causes = chainOf(cause)
  const { integration, rule, room, device } = filter
  const isOf = (subjects: readonly string[], id: string): boolean => subjects.includes(subject) && subjectId === id
  return (
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.source === undefined || filter.source === cause.source) &&
    (device === undefined || isOf(['device'], device)) &&
    (room === undefined || isOf(['room'], room) || (subject === 'device' && roomOf(subjectId) === room)) &&
    (integration === undefined ||
      isOf(['integration'], integration) ||
      causes.some((each) => each.integration === integration)) &&
    (rule === undefined ||
      isOf(['scene', 'automation', 'schedule'], rule) ||
      causes.some(({ ref, source }) => ref === rule && source !== 'unit'))
  )
}

/** A cause, then what set it off, and so on. */
export const chainOf = (cause: ActivityCause): readonly ActivityCause[] => [
  cause,
  ...(cause.by === undefined ? [] : chainOf(cause.by)),
]

const roomOf = (device: string | null): string | null | undefined => localDevices.value.get(device ?? '')?.room
