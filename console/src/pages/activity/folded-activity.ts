import type { AdminActivityEntry } from '../../lib/admin-contract.ts'

/** What happened again and again, the newest first; one that happened once stands alone. */
export type Repeats = readonly [newest: AdminActivityEntry, ...earlier: AdminActivityEntry[]]

/**
 * Entries, the newest first, with those folded together that tell the same of the same subject and have nothing else
 * between them. What sensors detect may stand between what other sensors detect: in a house in which people walk about
 * nobody would find anything else.
 */
export function folded(entries: readonly AdminActivityEntry[]): readonly Repeats[] {
  const groups: [AdminActivityEntry, ...AdminActivityEntry[]][] = []
  /** Groups that an older entry may still join, by their subject. */
  let open = new Map<string, (typeof groups)[number]>()
  for (const entry of entries) {
    const subject = subjectOf(entry)
    const group = open.get(subject)
    if (group !== undefined && tellsTheSame(group[0], entry)) {
      group.push(entry)
      continue
    }
    const started: (typeof groups)[number] = [entry]
    groups.push(started)
    const isAmongDetections =
      entry.kind === 'detection' && [...open.values()].every(([{ kind }]) => kind === 'detection')
    if (!isAmongDetections) open = new Map()
    open.set(subject, started)
  }
  return groups
}

const subjectOf = ({ subject, subjectId }: AdminActivityEntry): string => `${subject} ${subjectId ?? ''}`

const tellsTheSame = (one: AdminActivityEntry, other: AdminActivityEntry): boolean =>
  one.kind === other.kind && one.what === other.what && JSON.stringify(one.cause) === JSON.stringify(other.cause)
