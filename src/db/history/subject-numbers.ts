import { parseSubjectKey, type SubjectKey, subjectKey } from '../../home/model/events.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { HistoryFile } from './history-file.ts'

/**
 * Number of devices by which the steps of one scene are known. Beyond it the oldest entries keep only the scene, so
 * that only integrations that see everything see them.
 */
export const STEPS_DEVICES_MAX = 256

/**
 * Number of automations, schedules, scenes, groups and integrations with entries, per kind. Beyond it the least
 * recently used become one subject without an id. Their entries stay, visible only to integrations that see everything.
 */
export const SUBJECTS_OF_KIND_MAX = 2_000
const KINDS_BOUND = ['automation', 'schedule', 'scene', 'group', 'integration'] as const
type KindBound = (typeof KINDS_BOUND)[number]
/** Bound of one step: a file with too many would take long. */
const FOLDED_AT_ONCE = 10

/** Recorded steps of a scene, by their devices. */
interface KnownSteps {
  readonly number: number
  readonly devices: readonly DeviceKey[]
}

const PERSON = 'person:'

/** SQL expression for the device of a subject `s`. */
export const DEVICE = "substr(s.key, length('device:') + 1)"

/**
 * The numbers of subjects in rows. All subjects are in memory: a house has only some thousand, with bounds for scene
 * steps, rules and integrations.
 */
export class SubjectNumbers {
  readonly #db: HistoryFile
  readonly #numbers = new Map<SubjectKey, number>()
  readonly #keys = new Map<number, SubjectKey>()
  readonly #steps = new Map<SubjectKey, readonly KnownSteps[]>()
  /** Least recently used first. */
  readonly #byUse: Readonly<Record<KindBound, Set<SubjectKey>>> = {
    automation: new Set(),
    schedule: new Set(),
    scene: new Set(),
    group: new Set(),
    integration: new Set(),
  }

  constructor(db: HistoryFile) {
    this.#db = db
    this.reload()
  }

  /** Reads the subjects again after a rollback, because it undid numbers from inside the transaction. */
  reload(): void {
    this.#numbers.clear()
    this.#keys.clear()
    this.#steps.clear()
    for (const kind of KINDS_BOUND) this.#byUse[kind].clear()
    for (const row of this.#db.prepare<[], { id: number; key: string }>(SUBJECTS_BY_USE).all())
      this.#remember(row.id, row.key)
  }

  /** The number of a subject with possible rows, or undefined. */
  find(key: SubjectKey): number | undefined {
    this.#db.forget()
    return this.#numbers.get(key)
  }

  device(device: DeviceKey): number {
    return this.number(`device:${device}`)
  }

  findDevice(device: DeviceKey): number | undefined {
    return this.find(`device:${device}`)
  }

  /** The steps of a scene with possible rows; empty for any other subject. */
  stepsOf(key: SubjectKey): readonly KnownSteps[] {
    return this.#steps.get(key) ?? []
  }

  /** The number of a subject, created if necessary; inside a transaction. */
  number(key: SubjectKey): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      this.#markUsed(key)
      return known
    }
    const id = Number(this.#db.prepare('INSERT INTO subjects (key) VALUES (?)').run(key).lastInsertRowid)
    this.#remember(id, key)
    this.#foldOldSteps(key)
    for (const kind of KINDS_BOUND) this.#foldUnused(kind)
    return id
  }

  /** Makes room for one more of a kind. */
  #foldUnused(kind: KindBound): void {
    const known = this.#byUse[kind]
    if (known.size <= SUBJECTS_OF_KIND_MAX) return
    const into = this.number(subjectKey({ kind, id: '' }))
    for (const key of [...known].slice(0, Math.min(known.size - SUBJECTS_OF_KIND_MAX, FOLDED_AT_ONCE))) {
      const numbers = [this.#numbers.get(key), ...this.stepsOf(key).map(({ number }) => number)]
      for (const number of numbers) if (number !== undefined) this.#fold(number, into)
      known.delete(key)
    }
  }

  /** Moves the rows of one subject to another. */
  #fold(number: number, into: number): void {
    this.#db.prepare('UPDATE activity SET subject = ? WHERE subject = ?').run(into, number)
    this.remove(number)
  }

  /** Using the steps of a scene uses the scene. */
  #markUsed(key: SubjectKey): void {
    const subject = parseSubjectKey(key)
    const kind = subject.kind === 'steps' ? 'scene' : KINDS_BOUND.find((kind) => kind === subject.kind)
    if (kind === undefined || !('id' in subject) || subject.id === '') return
    const its = subjectKey({ kind, id: subject.id })
    this.#byUse[kind].delete(its)
    this.#byUse[kind].add(its)
  }

  /** Makes room for new steps: the oldest ones keep only the scene. */
  #foldOldSteps(key: SubjectKey): void {
    const subject = parseSubjectKey(key)
    if (subject.kind !== 'steps' || subject.devices.length === 0) return
    const all = this.stepsOf(subjectKey({ kind: 'scene', id: subject.id })).filter(({ devices }) => devices.length > 0)
    let room = STEPS_DEVICES_MAX
    const last = all.findLastIndex(({ devices }) => (room -= devices.length) < 0)
    for (const { number } of all.slice(0, Math.min(last + 1, all.length - 1))) {
      this.#fold(number, this.number(subjectKey({ ...subject, devices: [] })))
    }
  }

  key(number: number): SubjectKey {
    const key = this.#keys.get(number)
    if (key === undefined) throw new Error(`The history has no subject ${number}.`)
    return key
  }

  deviceAt(number: number): DeviceKey {
    return this.key(number).slice('device:'.length)
  }

  subjects(): Iterable<readonly [SubjectKey, number]> {
    return this.#numbers
  }

  /** Persons with possible rows. */
  persons(): readonly { readonly id: string; readonly number: number }[] {
    return [...this.#numbers].flatMap(([key, number]) =>
      key.startsWith(PERSON) ? [{ id: key.slice(PERSON.length), number }] : [],
    )
  }

  /** Removes a subject without rows; inside a transaction. */
  remove(number: number): void {
    this.#db.prepare('DELETE FROM subjects WHERE id = ?').run(number)
    this.#forget(number)
  }

  #forget(number: number): void {
    const key = this.key(number)
    this.#numbers.delete(key)
    this.#keys.delete(number)
    const subject = parseSubjectKey(key)
    if (subject.kind !== 'steps') return
    const scene = subjectKey({ kind: 'scene', id: subject.id })
    this.#steps.set(
      scene,
      this.stepsOf(scene).filter((steps) => steps.number !== number),
    )
  }

  #remember(id: number, key: SubjectKey): void {
    this.#numbers.set(key, id)
    this.#keys.set(id, key)
    this.#markUsed(key)
    const subject = parseSubjectKey(key)
    if (subject.kind !== 'steps') return
    const scene = subjectKey({ kind: 'scene', id: subject.id })
    this.#steps.set(scene, [...this.stepsOf(scene), { number: id, devices: subject.devices }])
  }
}

/** One index seek per subject. */
const SUBJECTS_BY_USE =
  'SELECT s.id, s.key FROM subjects s ORDER BY (SELECT max(a.id) FROM activity a WHERE a.subject = s.id)'
