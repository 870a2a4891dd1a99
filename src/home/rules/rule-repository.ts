import { canonicalJson } from '../../lib/canonical-json.ts'
import { freshRevision, type Author, type Origin } from '../model/house.ts'
import { type RuleKind, type RuleOf, RULES_MAX, DRAFT_FIELDS, type DraftOf } from '../model/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { type Result, fail, ok } from '../../lib/result.ts'
import type { ActivityDraft, Cause } from '../model/events.ts'
import type { NamedRule } from '../model/rule-parts.ts'
import type { ChangePart, UnitOfWork } from '../ports/activity-log.ts'
import type { RuleStore } from '../ports/rule-store.ts'

/** Highest revision accepted from a file, so that there is room for edits. */
const FILE_REVISION_MAX = 1e12

/** The content of a rule without its edit count: equal rules have equal text. */
function contentOf(rule: RuleOf[RuleKind]): string {
  return canonicalJson({ ...rule, revision: 0, changedAt: 0 })
}

/** A rule after an import: `before` itself if the content is the same, else with a revision that its id never had. */
function importedRule<K extends RuleKind>(
  rule: RuleOf[K],
  before: RuleOf[K] | undefined,
  last: () => number,
): RuleOf[K] {
  const requested = Math.min(rule.revision, FILE_REVISION_MAX)
  if (before === undefined) return { ...rule, revision: freshRevision(last(), requested) }
  // A file does not contain the pause of a rule.
  if (contentOf({ ...before, paused: false }) === contentOf({ ...rule, paused: false })) return before
  return { ...rule, revision: Math.max(before.revision, requested) + 1 }
}

/** Most automations, and most schedules, that one integration may save. */
export const RULES_PER_INTEGRATION_MAX = 1_000
/** Bytes of all automations, or all schedules, of a home: one response lists them all. */
export const RULES_BYTES_MAX = 4 * 1024 * 1024
/** Bytes of the automations, or schedules, that one integration may save. */
export const RULES_BYTES_PER_INTEGRATION_MAX = 1024 * 1024

/** The exceeded quota: the home's or the integration's, in number or bytes. */
export interface QuotaExceeded {
  readonly kind: 'quota_exceeded'
  readonly of: 'home' | 'integration'
  readonly by: 'number' | 'bytes'
}

type Saved = Pick<RuleOf[RuleKind], 'name' | 'then'> & { readonly author: Author }

/** Cached sizes of rules; a rule object never changes. */
const bytes = new WeakMap<object, number>()

/**
 * The quota that one more rule would exceed beside `rules`, in place of `before` if given. Rules of an integration
 * count towards its own quota, so that no integration takes the room of others. Administrators have no quota of their
 * own.
 */
export function quotaExceededBy(rule: Saved, before: Saved | null, rules: Iterable<Saved>): QuotaExceeded | null {
  const others = [...rules].filter((other) => other !== before)
  const ownRules = rule.author && others.filter(({ author }) => author?.integration === rule.author?.integration)
  const wasOwn = before !== null && before.author?.integration === rule.author?.integration
  if (before === null && others.length >= RULES_MAX) return { kind: 'quota_exceeded', of: 'home', by: 'number' }
  if (ownRules && !wasOwn && ownRules.length >= RULES_PER_INTEGRATION_MAX)
    return { kind: 'quota_exceeded', of: 'integration', by: 'number' }
  const grows = bytesOf(rule) > (before === null ? 0 : bytesOf(before))
  if (grows && sum(others) + bytesOf(rule) > RULES_BYTES_MAX) return { kind: 'quota_exceeded', of: 'home', by: 'bytes' }
  if (ownRules && (grows || !wasOwn) && sum(ownRules) + bytesOf(rule) > RULES_BYTES_PER_INTEGRATION_MAX)
    return { kind: 'quota_exceeded', of: 'integration', by: 'bytes' }
  return null
}

function sum(rules: readonly Saved[]): number {
  return rules.reduce((total, rule) => total + bytesOf(rule), 0)
}

function bytesOf(rule: Saved): number {
  const known = bytes.get(rule)
  if (known !== undefined) return known
  const size = Buffer.byteLength(JSON.stringify(rule))
  bytes.set(rule, size)
  return size
}

/** Letters and digits of a rule's id. */
const ID_LENGTH = 12

interface NotFound {
  readonly kind: 'not_found'
}

/** Reason for a refused edit; `revision` is the current one after an edit by somebody else (Spec 4 rule 6). */
export type EditFailure = NotFound | QuotaExceeded | { readonly kind: 'revision_mismatch'; readonly revision: number }

/** A rule as a house file holds it. */
type FileRule<K extends RuleKind> = DraftOf[K] &
  Pick<RuleOf[K], 'id' | 'revision' | 'origin'> & { readonly author?: Author | undefined }

interface RuleRepositoryParts<K extends RuleKind> {
  readonly store: RuleStore
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  /** Runs due occurrences before a rule changes: an edit at seven must not swallow the run of seven. */
  readonly settle: () => void
  /** Called after each committed change; null: the rule was deleted. `by`: a rule has switched it. */
  readonly changed: (id: string, rule: RuleOf[K] | null, by?: Cause) => void
  /** A rule of any kind by its reference. */
  readonly named: NamedRule
  /** Revision of all rules of the home. */
  readonly homeRevision: () => number
}

/**
 * All automations, or all schedules, of the home: cached in memory and changed only here, each change with its activity
 * row.
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

  /** In the order of their creation. */
  list(): readonly RuleOf[K][] {
    return [...this.#rules.values()]
  }

  get(id: string): RuleOf[K] | undefined {
    return this.#rules.get(id)
  }

  /** Changes with each edit. */
  get revision(): number {
    return this.#revision
  }

  /** Changes with each edit of any rule of the home. */
  get homeRevision(): number {
    return this.#parts.homeRevision()
  }

  get named(): NamedRule {
    return this.#parts.named
  }

  /** The quota that a new rule of `author` would exceed, or null. */
  quotaExceededBy(draft: DraftOf[K], author: Author): QuotaExceeded | null {
    return quotaExceededBy({ ...draft, author }, null, this.#rules.values())
  }

  create(draft: DraftOf[K], origin: Origin | null, cause: Cause): Result<RuleOf[K], QuotaExceeded> {
    const exceeded = this.quotaExceededBy(draft, origin)
    if (exceeded !== null) return fail(exceeded)
    let id = randomId(this.#parts.random, ID_LENGTH)
    while (this.#rules.has(id)) id = randomId(this.#parts.random, ID_LENGTH)
    const rule = this.#build(draft, { id, revision: 1, origin, author: origin })
    this.#parts.work.change((record) => {
      this.#parts.store.insert(this.#kind, rule)
      record(this.#edit(rule, `created as ${rule.name}`, cause))
    })
    this.take(id, rule)
    return ok(rule)
  }

  /**
   * Changes the given fields; compared and set in one transaction. An edit also ends a pause. `author` becomes
   * responsible for the rule's action, unless the edit only renames or disables it.
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
      record(this.#edit(rule, editWords(before.enabled, rule.enabled), cause))
      return ok(null)
    })
    if (!answer.ok) return answer
    this.take(id, rule)
    return ok(rule)
  }

  /** The rule after an edit, without storing it; the same object if nothing would change. */
  edited(
    id: string,
    change: Partial<DraftOf[K]>,
    ifRevision: number,
    author: Author,
  ): Result<{ readonly before: RuleOf[K]; readonly rule: RuleOf[K] }, EditFailure> {
    const before = this.#rules.get(id)
    if (before === undefined) return fail({ kind: 'not_found' })
    if (before.revision !== ifRevision) return fail({ kind: 'revision_mismatch', revision: before.revision })
    const fields = Object.fromEntries(
      Object.entries(change).filter(
        ([field, value]) => value !== undefined && DRAFT_FIELDS[this.#kind].includes(field),
      ),
    )
    const newAuthor = changesAction(fields) ? author : before.author
    const identity = { id, revision: ifRevision + 1, origin: before.origin, author: newAuthor }
    const rule = this.#build({ ...before, ...fields }, identity)
    if (contentOf(rule) === contentOf(before)) return ok({ before, rule: before })
    const exceeded = changesAction(fields) ? quotaExceededBy(rule, before, this.#rules.values()) : null
    return exceeded === null ? ok({ before, rule }) : fail(exceeded)
  }

  /** Deletes a rule, and stores `parts` in the same transaction. */
  delete(id: string, cause: Cause, parts: readonly ChangePart[] = []): Result<null, NotFound> {
    this.#parts.settle()
    if (!this.#rules.has(id)) return fail({ kind: 'not_found' })
    this.#parts.work.change((record) => {
      this.#parts.store.remove(this.#kind, id)
      record({ at: this.#parts.clock.now(), kind: 'edited', subject: { kind: this.#kind, id }, what: 'deleted', cause })
      for (const part of parts) part.store(record)
    })
    this.#drop(id)
    for (const part of parts) part.apply()
    return ok(null)
  }

  /**
   * Replaces all rules, for an import that stores them with the house; equal rules stay untouched. Revisions from
   * before the import are not reused. Without an author in the file, the rule's origin is its author.
   */
  replacement(rules: readonly FileRule<K>[], cause: Cause): ChangePart {
    this.#parts.settle()
    const { all, after, before: outdated } = this.replacing(rules)
    const before = outdated.map(({ id }) => id)
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

  /** Result of `replacement`: all rules, the stored ones (`after`), and the ones that they replace (`before`). */
  replacing(rules: readonly FileRule<K>[]): Readonly<Record<'all' | 'after' | 'before', readonly RuleOf[K][]>> {
    const all = rules.map((rule) => this.#imported(rule))
    const remaining = new Set(all)
    return {
      all,
      after: all.filter((rule) => this.#rules.get(rule.id) !== rule),
      before: [...this.#rules.values()].filter((rule) => !remaining.has(rule)),
    }
  }

  /** Switches a rule for another one, or at the end of a temporary switch. Its author and its pause stay. */
  switch(id: string, enabled: boolean, cause: Cause): void {
    this.#parts.settle()
    const before = this.#rules.get(id)
    if (before === undefined || before.enabled === enabled) return
    const built = this.#build({ ...before, enabled }, { ...before, revision: before.revision + 1 })
    const rule = { ...built, ...('paused' in before && { paused: before.paused }) }
    this.#parts.work.change((record) => {
      this.#storeNext(rule)
      record(this.#edit(rule, editWords(before.enabled, enabled), cause))
    })
    this.take(id, rule, cause)
  }

  /** Disables rules as part of another change; `what` is the reason. */
  switchedOff(ids: readonly string[], what: string, cause: Cause): ChangePart {
    this.#parts.settle()
    const rules = ids
      .flatMap((id) => this.#rules.get(id) ?? [])
      .map((rule) => this.#build({ ...rule, enabled: false }, { ...rule, revision: rule.revision + 1 }))
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
   * Stores rules adapted to replaced devices as part of the replacement; null deletes a rule. Their authors stay, and
   * the entry of the replacement covers all of them.
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
              ...this.#build({ ...rule, ...change }, { ...rule, revision: rule.revision + 1 }),
              // The reason for the pause may return.
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

  /** Stores a rule in place of its previous revision. */
  #storeNext(rule: RuleOf[K]): void {
    const replaced = this.#parts.store.replace(this.#kind, rule, rule.revision - 1)
    if (!replaced.ok) throw new Error(`The stored ${this.#kind} ${rule.id} differs from the one in memory.`)
  }

  #drop(id: string): void {
    this.#rules.delete(id)
    this.#revision += 1
    this.#parts.changed(id, null)
  }

  /** Takes a stored rule into memory. */
  take(id: string, rule: RuleOf[K], by?: Cause): void {
    this.#rules.set(id, rule)
    this.#revision += 1
    this.#parts.changed(id, rule, by)
  }

  /** A rule after an import: the known object if its content is the same. */
  #imported(rule: FileRule<K>): RuleOf[K] {
    const built = this.#build(rule, { ...rule, author: rule.author === undefined ? rule.origin : rule.author })
    const { revisions } = this.#parts.store
    return importedRule(built, this.#rules.get(rule.id), () => revisions.lastOf(this.#kind, rule.id))
  }

  #build(draft: DraftOf[K], identity: Pick<RuleOf[K], 'id' | 'revision' | 'origin' | 'author'>): RuleOf[K] {
    const { id, revision, origin, author } = identity
    const rule = { ...draft, id, revision, origin, author, changedAt: this.#parts.clock.now() }
    // A draft and these fields make a whole rule; the compiler cannot see it through the kind.
    return (this.#kind === 'automation' ? { ...rule, paused: false } : rule) as unknown as RuleOf[K]
  }
}

/** True if an edit changes or enables the rule's action; a new name does neither. */
export function changesAction(fields: Readonly<Record<string, unknown>>): boolean {
  return fields['enabled'] === true || Object.keys(fields).some((field) => field !== 'name' && field !== 'enabled')
}

function editWords(before: boolean, after: boolean): string {
  if (before === after) return 'edited'
  return after ? 'turned on' : 'turned off'
}
