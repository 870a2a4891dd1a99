import { parseSubjectKey, type SubjectKey, subjectKey } from '../../home/model/activity.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import { CAUSE_SOURCES, type Cause } from '../../home/model/cause.ts'
import { isObject } from '../../lib/json.ts'
import { readCell } from '../json-cell.ts'
import type { HistoryFile } from './history-file.ts'

/** Cause chains kept in memory, in both directions. */
const CAUSES_CACHED_MAX = 500

/** Of entries whose cause is damaged: it tells nothing of anybody. */
const UNKNOWN: Cause = { source: 'gateway', name: 'unknown' }

/** Steps of a scene that there are rows for, by the devices that they move. */
interface KnownSteps {
  readonly number: number
  readonly devices: readonly DeviceKey[]
}

/**
 * The numbers that stand for subjects and causes in the rows. All subjects are kept in memory: a house has only some
 * thousand.
 */
export class Names {
  readonly #db: HistoryFile
  readonly #numbers = new Map<SubjectKey, number>()
  readonly #keys = new Map<number, SubjectKey>()
  readonly #steps = new Map<SubjectKey, KnownSteps[]>()
  readonly #causeNumbers = new Map<string, number>()
  readonly #causes = new Map<number, Cause>()
  readonly #insertSubject
  readonly #findCause
  readonly #insertCause
  readonly #readCause

  constructor(db: HistoryFile) {
    this.#db = db
    this.#insertSubject = db.prepare<[string]>('INSERT INTO subjects (key) VALUES (?)')
    this.#findCause = db.prepare<[string], { id: number }>('SELECT id FROM causes WHERE cause = ?')
    this.#insertCause = db.prepare<[string]>('INSERT INTO causes (cause) VALUES (?)')
    this.#readCause = db.prepare<[number], { cause: string }>('SELECT cause FROM causes WHERE id = ?')
    this.reload()
  }

  /** Reads the subjects again after a rollback, because numbers given inside the transaction were undone with it. */
  reload(): void {
    this.#numbers.clear()
    this.#keys.clear()
    this.#steps.clear()
    this.#causeNumbers.clear()
    this.#causes.clear()
    for (const row of this.#db.prepare<[], { id: number; key: string }>('SELECT id, key FROM subjects').all())
      this.#remember(row.id, row.key)
  }

  /** The number of a subject that rows may exist for, or undefined. */
  find(key: SubjectKey): number | undefined {
    return this.#numbers.get(key)
  }

  /** The steps of a scene that rows may exist for; none for any other subject. */
  stepsOf(key: SubjectKey): readonly KnownSteps[] {
    return this.#steps.get(key) ?? []
  }

  /** The number of a subject, given now if it has none; inside a transaction. */
  number(key: SubjectKey): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const id = Number(this.#insertSubject.run(key).lastInsertRowid)
    this.#remember(id, key)
    return id
  }

  key(number: number): SubjectKey {
    const key = this.#keys.get(number)
    if (key === undefined) throw new Error(`The history has no subject ${number}.`)
    return key
  }

  subjects(): Iterable<readonly [SubjectKey, number]> {
    return this.#numbers
  }

  /** The number of a cause, given now if it has none; inside a transaction. */
  causeNumber(cause: Cause): number {
    const text = JSON.stringify(cause)
    const cached = this.#causeNumbers.get(text)
    if (cached !== undefined) return cached
    const id = this.#findCause.get(text)?.id ?? Number(this.#insertCause.run(text).lastInsertRowid)
    if (this.#causeNumbers.size >= CAUSES_CACHED_MAX) this.#causeNumbers.clear()
    this.#causeNumbers.set(text, id)
    return id
  }

  cause(number: number): Cause {
    const cached = this.#causes.get(number)
    if (cached !== undefined) return cached
    const row = this.#readCause.get(number)
    if (row === undefined) throw new Error(`The history has no cause ${number}.`)
    const cause = readCell<Cause>(row.cause, UNKNOWN, isCause)
    if (this.#causes.size >= CAUSES_CACHED_MAX) this.#causes.clear()
    this.#causes.set(number, cause)
    return cause
  }

  #remember(id: number, key: SubjectKey): void {
    this.#numbers.set(key, id)
    this.#keys.set(id, key)
    const subject = parseSubjectKey(key)
    if (subject.kind !== 'steps') return
    const scene = subjectKey({ kind: 'scene', id: subject.id })
    this.#steps.set(scene, [...this.stepsOf(scene), { number: id, devices: subject.devices }])
  }
}

function isCause(value: unknown): boolean {
  return (
    isObject(value) && CAUSE_SOURCES.some((source) => source === value['source']) && typeof value['name'] === 'string'
  )
}
