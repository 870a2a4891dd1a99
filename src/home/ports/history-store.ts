import type { ActivityDraft, ActivityEntry, ActivityKind, Subject, SubjectKey, Cause } from '../model/events.ts'
import type { DeviceKey, ReadingKind, Detection } from '../model/device.ts'
import type { ActivityLog } from './activity-log.ts'

/** What history.db answers and takes. All times are epoch ms; `from` is inclusive, `to` exclusive. */

/**
 * Which entries exist for the one who asks: everything but some kinds of subjects, or only the named subjects. It is
 * applied before the page is cut, so that entries nobody may see leave no trace in its length or in `nextTo`.
 */
export type SubjectFilter =
  | { readonly all: true; readonly except?: readonly Subject['kind'][] }
  /** With a scene come those of its steps that move a device for which `moves` is true; none without it. */
  | { readonly only: Iterable<SubjectKey>; readonly moves?: (device: DeviceKey) => boolean }

export interface ActivityQuery {
  readonly subjects: SubjectFilter
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** What is looked for among entries of all subjects, judged before an entry is read as a whole. */
export interface ActivitySearch extends Omit<ActivityQuery, 'subjects'> {
  /** All kinds where it is undefined, and all sources of the first cause. */
  readonly kind: ActivityKind | undefined
  readonly source: Cause['source'] | undefined
  /** Ids that have to be in the subject or in the causes, whatever they are there; */
  readonly mentions: readonly string[]
  /** who asks then says of each whether it is what was meant. */
  readonly fits: (of: Pick<ActivityEntry, 'subject' | 'cause'>) => boolean
  /** So many rows are looked through at most, more than a millisecond has room for; then the page ends. */
  readonly rowsMax: number
}

/** Newest first. `nextTo` is the `to` of the next page, or null where no older entry is left. */
export interface ActivityPage {
  readonly entries: readonly ActivityEntry[]
  readonly nextTo: number | null
}

/** A row of core.db's outbox. */
export interface OutboxRow {
  readonly id: number
  readonly draft: ActivityDraft
}

/** core.db's side of the outbox. `peek` gives the rows with the lowest ids first, of those above `after`. */
export interface OutboxSource {
  peek(limit: number, after?: number): readonly OutboxRow[]
  remove(ids: readonly number[]): void
  /** Leaves out all but the newest `rows`; answers how many went. */
  cut(rows: number): number
}

export interface ActivityStore extends ActivityLog {
  /**
   * One page, newest first. A page never splits one millisecond (docs/activity.md#pages): it ends before the
   * millisecond that no longer fits, or, where a single millisecond holds more than `limit` entries, it holds that
   * millisecond whole.
   */
  page(query: ActivityQuery): ActivityPage
  /** A page of what fits; it may be empty, or short, and not the last one. */
  search(search: ActivitySearch): ActivityPage
  /**
   * Calls `listener` with the place of each entry that comes in, in the transaction that stores it; the returned
   * function ends it.
   */
  onStored(listener: (place: number) => void): () => void
  /** The entries at such places, oldest first; none for one whose transaction failed. */
  entriesAt(places: readonly number[]): readonly ActivityEntry[]
  /** Every entry of the range, oldest first, in bounded pieces: for an export. */
  each(from: number, to: number): Iterable<ActivityEntry>
  /**
   * Stores the rows of the outbox, each once however often it is handed over, and returns only when they would survive
   * a power cut, so that the caller may then remove them from core.db. Throws when they cannot be stored.
   */
  takeOutbox(rows: readonly OutboxRow[], onDisk: 'now' | 'later'): void
}

export interface DetectionRecord {
  readonly at: number
  readonly kind: Detection
  readonly value: boolean
}

export interface DetectionPage {
  readonly detections: readonly DetectionRecord[]
  /** Opaque; stays right while new detections arrive. Null at the end. */
  readonly nextCursor: string | null
}

export interface DetectionStore {
  record(unit: string, detection: DetectionRecord): void
  /** Newest first. Null when the cursor was not made by this store. */
  page(unit: string, cursor: string | null, limit: number): DetectionPage | null
  /** The newest detections of some units inside the range, newest first. */
  between(
    units: readonly string[],
    from: number,
    to: number,
    limit: number,
  ): readonly (DetectionRecord & { readonly unit: string })[]
  each(from: number, to: number): Iterable<DetectionRecord & { readonly unit: string }>
}

/**
 * One point of a reading's history: a single value, or the thinned values of a minute or an hour. Booleans are 0 and 1.
 */
export interface ReadingPoint {
  readonly at: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly count: number
}

export interface ReadingRange {
  readonly points: readonly ReadingPoint[]
  readonly rows: number
}

export interface ReadingStore {
  record(unit: string, kind: ReadingKind, at: number, value: number): void
  /**
   * Oldest first, at most `points` of them, from whatever resolution is still held; ten years of them hold nothing else
   * up. `rows` says how many it read for them.
   */
  range(unit: string, kind: ReadingKind, from: number, to: number, points: number): Promise<ReadingRange>
  each(from: number, to: number): Iterable<ReadingPoint & { readonly unit: string; readonly kind: ReadingKind }>
  /** One small step of thinning; `moved` is 0 when nothing is left to do. */
  thin(now: number): { readonly moved: number }
}

/** A reading that holds until its device reports another value. Booleans are 0 and 1. */
export interface LastReading {
  readonly device: DeviceKey
  readonly kind: ReadingKind
  readonly at: number
  readonly value: number
}

export interface LastReadingStore {
  /** False when it was left out, as on a full disk. */
  set(device: DeviceKey, kind: ReadingKind, at: number, value: number): boolean
  /** Forgets the readings of a unit and its gangs. */
  forget(unit: string): void
  /** Every stored reading, for a start. */
  all(): readonly LastReading[]
}

export interface HistoryUsage {
  /** Size of the file, without what is free inside it, and the size it may have. */
  readonly bytes: number
  readonly bytesMax: number
  /** Rows stored since the start; `shed` were left out in a storm, `failed` because the file took no writes. */
  readonly written: number
  readonly shed: number
  readonly failed: number
}

/** The work that keeps history.db inside its size, in steps of a few milliseconds. */
export interface HistoryUpkeep {
  /**
   * Does one step; false when there was nothing to do. What is too old is forgotten by `time` in epoch ms, and what
   * does not fit by none. Throws when the file takes no writes.
   */
  step(time: number | null): boolean
  /** The latest time by which a step forgot; of a file that never did, the time of its newest entry, if any. */
  time(): number | null
  usage(): HistoryUsage
}
