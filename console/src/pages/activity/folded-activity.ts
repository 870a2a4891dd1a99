import type { AdminActivityEntry } from '../../lib/admin-contract.ts'

/** Equal entries, the newest first. */
export type EntryGroup = readonly [newest: AdminActivityEntry, ...earlier: AdminActivityEntry[]]

/**
 * Groups consecutive equal entries of one subject. Detections of several sensors may interleave, because movement in
 * the house would otherwise hide all other entries.
 */
export function groupEntries(entries: readonly AdminActivityEntry[]): readonly EntryGroup[] {
  const groups: [AdminActivityEntry, ...AdminActivityEntry[]][] = []
  /** Groups that an older entry may still join, by subject. */
  let open = new Map<string, (typeof groups)[number]>()
  for (const entry of entries) {
    const subject = subjectOf(entry)
    const group = open.get(subject)
    if (group !== undefined && isEqualEntry(group[0], entry)) {
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

const isEqualEntry = (one: AdminActivityEntry, other: AdminActivityEntry): boolean =>
  one.kind === other.kind && one.what === other.what && JSON.stringify(one.cause) === JSON.stringify(other.cause)
