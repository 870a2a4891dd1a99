import type { ActivityDraft, ActivityEntry, ActivityKind, Subject, SubjectKey, Cause } from '../model/events.ts'
import type { ChangeTrigger, DeviceKey, ReadingKind, Detection } from '../model/device.ts'
import type { DeviceCondition, Value } from '../model/rules.ts'
import type { ActivityLog } from './activity-log.ts'

/** Rows in history.db. All times are epoch ms; `from` is inclusive, `to` exclusive. */

/**
 * Entries that exist for the reader: all except some kinds of subjects, or only the named subjects. The filter applies
 * before the page is cut, so hidden entries leave no trace in its length or in `nextTo`.
 */
export type SubjectFilter =
  | { readonly all: true; readonly except?: readonly Subject['kind'][] }
  /** `moves` adds the entries of scene steps that move one of these devices; without it there are none. */
  | { readonly only: Iterable<SubjectKey>; readonly moves?: (device: DeviceKey) => boolean }

export interface ActivityQuery {
  readonly subjects: SubjectFilter
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** A search among the entries of all subjects. `fits` judges an entry before the whole row is read. */
export interface ActivitySearch extends Omit<ActivityQuery, 'subjects'> {
  /** Undefined: all kinds, and all sources of the first cause. */
  readonly kind: ActivityKind | undefined
  readonly source: Cause['source'] | undefined
  /** Ids that the subject or the causes must contain, in any role. `fits` then checks the role. */
  readonly mentions: readonly string[]
  readonly fits: (of: Pick<ActivityEntry, 'subject' | 'cause'>) => boolean
  /** Most rows that one search reads, more than one millisecond can hold; then the page ends. */
  readonly rowsMax: number
}

/** Newest first. `nextTo` is the `to` of the next page, or null after the last one. */
export interface ActivityPage {
  readonly entries: readonly ActivityEntry[]
  readonly nextTo: number | null
}

/** A row of core.db's outbox. */
export interface OutboxRow {
  readonly id: number
  readonly draft: ActivityDraft
}

/** core.db's side of the outbox. `peek` returns the rows above `after` with the lowest ids first. */
export interface OutboxSource {
  peek(limit: number, after?: number): readonly OutboxRow[]
  remove(ids: readonly number[]): void
  /** Deletes all but the newest `rows`; returns the number of deleted rows. */
  cut(rows: number): number
}

export interface ActivityStore extends ActivityLog {
  /**
   * One page, newest first. A page never splits a millisecond (docs/activity.md#pages): it ends before the millisecond
   * that no longer fits. If a single millisecond has more than `limit` entries, the page holds all of them.
   */
  page(query: ActivityQuery): ActivityPage
  /** A page of matching entries. It may be empty or short without being the last one. */
  search(search: ActivitySearch): ActivityPage
  /**
   * Calls `listener` with the place of each new entry, in the transaction that stores it; the returned function
   * unsubscribes.
   */
  onStored(listener: (place: number) => void): () => void
  /** The entries at these places, oldest first. Places of failed transactions are skipped. */
  entriesAt(places: readonly number[]): readonly ActivityEntry[]
  /** Every entry of the range, oldest first, in bounded pieces: for an export. */
  iterate(from: number, to: number): Iterable<ActivityEntry>
  /** Deletes the entries of persons by their ids. Throws if the file accepts no writes. */
  forgetPersons(isForgotten: (person: string) => boolean): void
  /**
   * Stores the rows of the outbox. Each row is stored once, even if it is passed again. Returns when the rows would
   * survive a power cut, so that the caller may delete them from core.db. Throws if they cannot be stored.
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
  /** Opaque; stays valid while new detections arrive. Null at the end. */
  readonly nextCursor: string | null
}

export interface DetectionStore {
  record(unit: string, detection: DetectionRecord): void
  /** Newest first. Null if this store did not issue the cursor. */
  page(unit: string, cursor: string | null, limit: number): DetectionPage | null
  /** The newest detections of some units inside the range, newest first. */
  between(
    units: readonly string[],
    from: number,
    to: number,
    limit: number,
  ): readonly (DetectionRecord & { readonly unit: string })[]
  iterate(from: number, to: number): Iterable<DetectionRecord & { readonly unit: string }>
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
   * Oldest first, at most `points` of them, from the best resolution that is still stored. Ten years of points block no
   * other work. `rows` is the number of rows read.
   */
  range(unit: string, kind: ReadingKind, from: number, to: number, points: number): Promise<ReadingRange>
  iterate(from: number, to: number): Iterable<ReadingPoint & { readonly unit: string; readonly kind: ReadingKind }>
  /** Single values of the last days before `to`, newest first, read on demand. */
  before(unit: string, kind: ReadingKind, to: number): Iterable<{ readonly at: number; readonly value: number }>
  /** One small step of thinning; `moved` is 0 when no work is left. */
  thin(now: number): { readonly moved: number }
}

/** A value that a condition tests, as the history has it. */
export interface PastValue {
  /** Epoch ms. */
  readonly at: number
  readonly value: Value
  /** The value until then, if it is known. */
  readonly before?: Value | undefined
  /** The way in which a state changed; null if it is unknown. */
  readonly by: ChangeTrigger | null
}

export interface PastReader {
  /** Values that a condition tests, from before `to` (epoch ms), newest first, read on demand. */
  valuesOf(test: DeviceCondition, to: number): Iterable<PastValue>
}

/** A reading that holds until its device reports another value. Booleans are 0 and 1. */
export interface LastReading {
  readonly device: DeviceKey
  readonly kind: ReadingKind
  readonly at: number
  readonly value: number
}

export interface LastReadingStore {
  /** False if the write was skipped, as on a full disk. */
  set(device: DeviceKey, kind: ReadingKind, at: number, value: number): boolean
  /** Forgets the readings of a unit and its gangs. */
  forget(unit: string): void
  /** Every stored reading, for a start. */
  all(): readonly LastReading[]
}

export interface HistoryUsage {
  /** Size of the file without its free space, and the largest allowed size. */
  readonly bytes: number
  readonly bytesMax: number
  /** Rows since the start: `written`, `shed` in a storm, and `failed` because the file accepted no writes. */
  readonly written: number
  readonly shed: number
  readonly failed: number
}

/** The work that keeps history.db inside its size, in steps of a few milliseconds. */
export interface HistoryUpkeep {
  /**
   * Does one step; false if there was no work. `time` (epoch ms) limits deletion by age, not deletion by size. Throws
   * if the file accepts no writes.
   */
  step(time: number | null): boolean
  /** The latest time that a step used for deletion; before the first, the time of the newest entry, if any. */
  time(): number | null
  usage(): HistoryUsage
}
