import { canonicalJson } from '../../lib/canonical-json.ts'
import { freshRevision, type GivenRevisions, type Author, type Origin } from '../model/house.ts'
import { type RuleKind, type RuleOf, RULES_MAX, DRAFT_FIELDS, type DraftOf } from '../model/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { type Result, fail, ok } from '../../lib/result.ts'
import type { ActivityDraft, Cause } from '../model/events.ts'
import type { ChangePart, UnitOfWork } from '../ports/activity-log.ts'
import type { RuleStore } from '../ports/rule-store.ts'

/** A higher revision in a file counts as this one, so that there is room for edits. */
const FILE_REVISION_MAX = 1e12

/** All of a rule but what counts its edits: the same text of rules that are the same. */
function contentOf(rule: RuleOf[RuleKind]): string {
  return canonicalJson({ ...rule, revision: 0, changedAt: 0 })
}

/**
 * A rule of a file as the home has it afterwards: `before` itself where the file has the same content, else with a
 * revision that its id never had.
 */
function importedRule<K extends RuleKind>(
  rule: RuleOf[K],
  before: RuleOf[K] | undefined,
  given: Pick<GivenRevisions, 'highest'>,
): RuleOf[K] {
  const wanted = Math.min(rule.revision, FILE_REVISION_MAX)
  if (before === undefined) return { ...rule, revision: freshRevision(given, wanted) }
  // A file does not hold whether a rule is paused.
  if (contentOf({ ...before, paused: false }) === contentOf({ ...rule, paused: false })) return before
  return { ...rule, revision: Math.max(before.revision, wanted) + 1 }
}

/** Automations, and schedules, that one integration saved. */
export const RULES_OF_ONE_MAX = 1_000
/** Bytes of all automations, or all schedules, of a home: they are listed in one answer. */
export const RULES_BYTES_MAX = 4 * 1024 * 1024
/** The same of those that one integration saved. */
export const RULES_BYTES_OF_ONE_MAX = 1024 * 1024

/** Which bound is reached: the home's, or that of the integration which saves; by number, or by bytes. */
export interface NoRoom {
  readonly kind: 'no_room'
  readonly of: 'home' | 'integration'
  readonly by: 'number' | 'bytes'
}

type Saved = Pick<RuleOf[RuleKind], 'name' | 'then'> & { readonly author: Author }

/** Bytes of what is stored: rules never change once they are made. */
const bytes = new WeakMap<object, number>()

/**
 * Whether another rule fits beside `rules`, in place of `before` where there is one. What an integration saved counts to
 * its share, so that no integration takes the room of the others; administrators have no share of their own.
 */
export function noRoomFor(rule: Saved, before: Saved | null, rules: Iterable<Saved>): NoRoom | null {
  const others = [...rules].filter((each) => each !== before)
  const own = rule.author && others.filter(({ author }) => author?.integration === rule.author?.integration)
  const wasOwn = before !== null && before.author?.integration === rule.author?.integration
  if (before === null && others.length >= RULES_MAX) return { kind: 'no_room', of: 'home', by: 'number' }
  if (own && !wasOwn && own.length >= RULES_OF_ONE_MAX) return { kind: 'no_room', of: 'integration', by: 'number' }
  const grows = bytesOf(rule) > (before === null ? 0 : bytesOf(before))
  if (grows && sum(others) + bytesOf(rule) > RULES_BYTES_MAX) return { kind: 'no_room', of: 'home', by: 'bytes' }
  if (own && (grows || !wasOwn) && sum(own) + bytesOf(rule) > RULES_BYTES_OF_ONE_MAX)
    return { kind: 'no_room', of: 'integration', by: 'bytes' }
  return null
}

function sum(rules: readonly Saved[]): number {
  return rules.reduce((all, each) => all + bytesOf(each), 0)
}

function bytesOf(rule: Saved): number {
  const known = bytes.get(rule)
  if (known !== undefined) return known
  const counted = Buffer.byteLength(JSON.stringify(rule))
  bytes.set(rule, counted)
  return counted
}

/** Letters and digits of a rule's id. */
const ID_LENGTH = 12

interface NotFound {
  readonly kind: 'not_found'
}

/** Why an edit is refused; `revision` is the current one, where somebody else edited meanwhile (Spec 4 rule 6). */
export type EditFailure = NotFound | NoRoom | { readonly kind: 'revision_mismatch'; readonly revision: number }

/** A rule as a house file holds it. */
type FileRule<K extends RuleKind> = DraftOf[K] &
  Pick<RuleOf[K], 'id' | 'revision' | 'origin'> & { readonly author?: Author | undefined }

interface RuleRepositoryParts<K extends RuleKind> {
  readonly store: RuleStore
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  /** Does what is due before a rule changes: an edit at seven must not swallow the run of seven. */
  readonly settle: () => void
  /** Called with each change after it is committed; null: the rule was deleted. */
  readonly changed: (id: string, rule: RuleOf[K] | null) => void
}

/**
 * All automations, or all schedules, of the home: kept in memory, changed only here, each change with its activity row.
 */
export class RuleRepository<K extends RuleKind> {
  readonly #kind: K
  readonly #parts: RuleRepositoryParts<K>
  readonly #rules: Map<string, RuleOf[K]>
  #revision = 0

  constructor(kind: K, parts: RuleRepositoryParts<K>) {
    this.#kind = kind
    this.#parts = parts
    this.#rules = new Map(parts.store.all(kind).map((rule) => [rule.id, rule]))
  }

  /** In the order in which they were made. */
  list(): readonly RuleOf[K][] {
    return [...this.#rules.values()]
  }

  get(id: string): RuleOf[K] | undefined {
    return this.#rules.get(id)
  }

  /** Another number after each change. */
  get revision(): number {
    return this.#revision
  }

  /** Why a new one that `author` saves would not be stored, or null. */
  noRoomFor(draft: DraftOf[K], author: Author): NoRoom | null {
    return noRoomFor({ ...draft, author }, null, this.#rules.values())
  }

  create(draft: DraftOf[K], origin: Origin | null, cause: Cause): Result<RuleOf[K], NoRoom> {
    const noRoom = this.noRoomFor(draft, origin)
    if (noRoom !== null) return fail(noRoom)
    let id = randomId(this.#parts.random, ID_LENGTH)
    while (this.#rules.has(id)) id = randomId(this.#parts.random, ID_LENGTH)
    const rule = this.#made(draft, { id, revision: 1, origin, author: origin })
    this.#parts.work.change((record) => {
      this.#parts.store.insert(this.#kind, rule)
      record(this.#edit(rule, `created as ${rule.name}`, cause))
    })
    this.take(id, rule)
    return ok(rule)
  }

  /**
   * Changes the fields that are given; compared and set in one transaction. An edit also ends a pause. `author` saves
   * it and answers from now on for what it does, unless the edit only names it or switches it off.
   */
  update(
    id: string,
    change: Partial<DraftOf[K]>,
    ifRevision: number,
    cause: Cause,
    author: Author,
  ): Result<RuleOf[K], EditFailure> {
    this.#parts.settle()
    const edited = this.edited(id, change, ifRevision, author)
    if (!edited.ok) return edited
    const { before, rule } = edited.value
    if (rule === before) return ok(rule)
    const answer = this.#parts.work.change((record): Result<null, EditFailure> => {
      const replaced = this.#parts.store.replace(this.#kind, rule, ifRevision)
      if (!replaced.ok)
        return fail(
          replaced.error === null ? { kind: 'not_found' } : { kind: 'revision_mismatch', revision: replaced.error },
        )
      record(this.#edit(rule, wordFor(before.enabled, rule.enabled), cause))
      return ok(null)
    })
    if (!answer.ok) return answer
    this.take(id, rule)
    return ok(rule)
  }

  /** What an edit would make of a rule, of which nothing is stored; the same rule where nothing would change. */
  edited(
    id: string,
    change: Partial<DraftOf[K]>,
    ifRevision: number,
    author: Author,
  ): Result<{ readonly before: RuleOf[K]; readonly rule: RuleOf[K] }, EditFailure> {
    const before = this.#rules.get(id)
    if (before === undefined) return fail({ kind: 'not_found' })
    if (before.revision !== ifRevision) return fail({ kind: 'revision_mismatch', revision: before.revision })
    const given = Object.fromEntries(
      Object.entries(change).filter(
        ([field, value]) => value !== undefined && DRAFT_FIELDS[this.#kind].includes(field),
      ),
    )
    const saver = takesOver(given) ? author : before.author
    const kept = { id, revision: ifRevision + 1, origin: before.origin, author: saver }
    const made = this.#made({ ...before, ...given }, kept)
    if (contentOf(made) === contentOf(before)) return ok({ before, rule: before })
    const rule = made
    const noRoom = takesOver(given) ? noRoomFor(rule, before, this.#rules.values()) : null
    return noRoom === null ? ok({ before, rule }) : fail(noRoom)
  }

  delete(id: string, cause: Cause): Result<null, NotFound> {
    this.#parts.settle()
    if (!this.#rules.has(id)) return fail({ kind: 'not_found' })
    this.#parts.work.change((record) => {
      this.#parts.store.remove(this.#kind, id)
      record({ at: this.#parts.clock.now(), kind: 'edited', subject: { kind: this.#kind, id }, what: 'deleted', cause })
    })
    this.#drop(id)
    return ok(null)
  }

  /**
   * Other rules in place of all, of which those that are the same go on untouched, for an import that stores them with
   * the house. No revision of before the import is given again; where the file names no author it is the one who made
   * the rule.
   */
  replacement(rules: readonly FileRule<K>[], cause: Cause): ChangePart {
    this.#parts.settle()
    const { all, after, before: replaced } = this.replacing(rules)
    const before = replaced.map(({ id }) => id)
    return {
      store: (record) => {
        if (before.length === 0 && after.length === 0) return
        for (const id of before) this.#parts.store.remove(this.#kind, id)
        for (const rule of after) this.#parts.store.insert(this.#kind, rule)
        const what = `${this.#kind}s imported`
        record({ at: this.#parts.clock.now(), kind: 'edited', subject: { kind: 'home' }, what, cause })
      },
      apply: () => {
        this.#rules.clear()
        for (const rule of all) this.#rules.set(rule.id, rule)
        this.#revision += 1
        for (const id of before) this.#parts.changed(id, null)
        for (const rule of after) this.#parts.changed(rule.id, rule)
      },
    }
  }

  /** What `replacement` makes of the rules: those that it stores (`after`) in place of others (`before`), and all. */
  replacing(rules: readonly FileRule<K>[]): Readonly<Record<'all' | 'after' | 'before', readonly RuleOf[K][]>> {
    const all = rules.map((rule) => this.#replaced(rule))
    const kept = new Set(all)
    return {
      all,
      after: all.filter((rule) => this.#rules.get(rule.id) !== rule),
      before: [...this.#rules.values()].filter((rule) => !kept.has(rule)),
    }
  }

  /** The same rules switched off, to be stored with something else; `what` says why. */
  switchedOff(ids: readonly string[], what: string, cause: Cause): ChangePart {
    this.#parts.settle()
    const rules = ids
      .flatMap((id) => this.#rules.get(id) ?? [])
      .map((rule) => this.#made({ ...rule, enabled: false }, { ...rule, revision: rule.revision + 1 }))
    return {
      store: (record) => {
        for (const rule of rules) {
          this.#storeNext(rule)
          record(this.#edit(rule, what, cause))
        }
      },
      apply: () => {
        for (const rule of rules) this.take(rule.id, rule)
      },
    }
  }

  /**
   * Rules made to fit devices that were replaced, to be stored with them; null deletes a rule. Their authors stay, and
   * the entry of the replacement stands for all of them.
   */
  fitted(changes: ReadonlyMap<string, Partial<DraftOf[K]> | null>): ChangePart {
    this.#parts.settle()
    const known = [...changes].flatMap(([id, change]) => {
      const rule = this.#rules.get(id)
      return rule === undefined ? [] : [{ rule, change }]
    })
    const edited = known.flatMap(({ rule, change }) =>
      change === null
        ? []
        : [
            {
              ...this.#made({ ...rule, ...change }, { ...rule, revision: rule.revision + 1 }),
              // What paused it may happen again.
              ...('paused' in rule && { paused: rule.paused }),
            },
          ],
    )
    const deleted = known.flatMap(({ rule, change }) => (change === null ? [rule.id] : []))
    return {
      store: () => {
        for (const rule of edited) this.#storeNext(rule)
        for (const id of deleted) this.#parts.store.remove(this.#kind, id)
      },
      apply: () => {
        for (const rule of edited) this.take(rule.id, rule)
        for (const id of deleted) this.#drop(id)
      },
    }
  }

  #edit({ id, changedAt: at }: RuleOf[K], what: string, cause: Cause): ActivityDraft {
    return { at, kind: 'edited', subject: { kind: this.#kind, id }, what, cause }
  }

  /** Stores a rule in place of its revision before. */
  #storeNext(rule: RuleOf[K]): void {
    const replaced = this.#parts.store.replace(this.#kind, rule, rule.revision - 1)
    if (!replaced.ok) throw new Error(`The ${this.#kind} ${rule.id} is not stored as it is known.`)
  }

  #drop(id: string): void {
    this.#rules.delete(id)
    this.#revision += 1
    this.#parts.changed(id, null)
  }

  /** Takes a rule into memory that is stored already. */
  take(id: string, rule: RuleOf[K]): void {
    this.#rules.set(id, rule)
    this.#revision += 1
    this.#parts.changed(id, rule)
  }

  /** A rule of a file as the home has it afterwards: the same one where the file says what is so already. */
  #replaced(rule: FileRule<K>): RuleOf[K] {
    const made = this.#made(rule, { ...rule, author: rule.author === undefined ? rule.origin : rule.author })
    return importedRule(made, this.#rules.get(rule.id), this.#parts.store.revisions)
  }

  #made(draft: DraftOf[K], kept: Pick<RuleOf[K], 'id' | 'revision' | 'origin' | 'author'>): RuleOf[K] {
    const { id, revision, origin, author } = kept
    const made = { ...draft, id, revision, origin, author, changedAt: this.#parts.clock.now() }
    // A draft and what the gateway keeps make a whole rule; the compiler cannot see it through the kind.
    return (this.#kind === 'automation' ? { ...made, paused: false } : made) as unknown as RuleOf[K]
  }
}

/** Whether an edit says anew what the rule does or that it does it; a name says neither. */
export function takesOver(given: Readonly<Record<string, unknown>>): boolean {
  return given['enabled'] === true || Object.keys(given).some((field) => field !== 'name' && field !== 'enabled')
}

function wordFor(before: boolean, after: boolean): string {
  if (before === after) return 'edited'
  return after ? 'turned on' : 'turned off'
}
