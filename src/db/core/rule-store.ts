import { type Result, fail, ok } from '../../lib/result.ts'
import type { Cause } from '../../home/model/events.ts'
import type { RuleKind, RuleOf, Step } from '../../home/model/rules.ts'
import {
  CLAIMS_PER_SLOT_MAX,
  CLAIMS_PER_OWNER_MAX,
  NEW_OCCURRENCE_MS,
  type Claim,
  type NewClaim,
  type Hold,
  type RuleStore,
  type RunPlace,
  type RunProgress,
  type RunRecord,
  type RunTrigger,
  type StepFailure,
  type SwitchEnd,
} from '../../home/ports/rule-store.ts'
import type { Principal } from '../../home/ports/unit-bus.ts'
import { AUTHOR_COLUMNS, authorsOf, authorValues, Columns, CoreStore } from './columns.ts'
import type { RevisionMarks } from '../../home/model/house.ts'
import type { CoreDb } from './core-db.ts'
import type { RevisionMark } from './revision-mark.ts'

const RULE = new Columns(
  ...['kind', 'id', 'name', 'enabled', 'revision', 'definition', 'paused', 'changed_at', ...AUTHOR_COLUMNS],
)
type RuleRow = ReturnType<typeof ruleValues>

const RUN = new Columns(
  ...[
    'id',
    'kind',
    'rule',
    'steps',
    'cause',
    'priority',
    'principals',
    'started_at',
    'step',
    'resume_at',
    'failures',
    'place',
    'trigger',
  ],
)
type RunRow = ReturnType<typeof runValues>

const CLAIM =
  'INSERT OR IGNORE INTO rule_claims (owner, slot, date, at, missed, steady_at) VALUES (@owner, @slot, @date, @at, @missed, @steadyAt)'

/** Keeps the newest claims of each time, and of each rule. */
const PRUNE = `DELETE FROM rule_claims WHERE owner = @owner AND ((slot = @slot AND rowid NOT IN
    (SELECT rowid FROM rule_claims WHERE owner = @owner AND slot = @slot ORDER BY rowid DESC LIMIT ${CLAIMS_PER_SLOT_MAX}))
    OR rowid NOT IN (SELECT rowid FROM rule_claims WHERE owner = @owner ORDER BY rowid DESC LIMIT ${CLAIMS_PER_OWNER_MAX}))`

/** Forgets the claim of a date that comes again: the same as `isNewOccurrence`. */
const UNCLAIM = `DELETE FROM rule_claims WHERE owner = @owner AND slot = @slot AND date = @date
    AND ((missed = 1 AND (@missed = 0 OR steady_at < @dueAt)) OR @steadyAt - steady_at >= ${NEW_OCCURRENCE_MS})`

type HoldRow = Omit<Hold, 'fired' | 'cause'> & { readonly fired: number; readonly cause: string | null }
type ClaimValues<C extends Claim = Claim> = Omit<C, 'missed'> & { readonly missed: number }

/** Automations, schedules and their runs in core.db. */
export class SqliteRules extends CoreStore implements RuleStore {
  readonly revisions: RevisionMarks
  readonly #mark: RevisionMark
  readonly #core: Pick<CoreDb, 'commitDeferred' | 'onDisk'>

  constructor(core: Pick<CoreDb, 'db' | 'revisions' | 'commitDeferred' | 'onDisk'>) {
    super(core)
    this.#mark = core.revisions
    this.revisions = core.revisions.of(core.db)
    this.#core = core
  }

  all<K extends RuleKind>(kind: K): readonly RuleOf[K][] {
    const sql = `SELECT ${RULE.fields} FROM rules WHERE kind = ? ORDER BY rowid`
    const rows = this.db.prepare<[RuleKind], RuleRow>(sql).all(kind)
    return rows.map((row) => ruleFromRow(kind, row))
  }

  insert<K extends RuleKind>(kind: K, rule: RuleOf[K]): void {
    this.#mark.reach(rule.revision)
    this.db.prepare(`INSERT INTO rules ${RULE.values}`).run(ruleValues(kind, rule))
  }

  replace<K extends RuleKind>(kind: K, rule: RuleOf[K], ifRevision: number): Result<null, number | null> {
    this.#mark.reach(rule.revision)
    const { originIntegration: _, originLink: __, ...values } = ruleValues(kind, rule)
    return this.db
      .transaction(() => {
        const { changes } = this.db
          .prepare(
            `UPDATE rules SET name = @name, enabled = @enabled, revision = @revision, definition = @definition, paused = @paused,
            author_integration = @authorIntegration, author_link = @authorLink, changed_at = @changedAt WHERE kind = @kind AND id = @id AND revision = @ifRevision`,
          )
          .run({ ...values, ifRevision })
        if (changes === 1) return ok(null)
        const stored = this.db.prepare<[RuleKind, string], { revision: number }>(
          'SELECT revision FROM rules WHERE kind = ? AND id = ?',
        )
        return fail(stored.get(kind, rule.id)?.revision ?? null)
      })
      .immediate()
  }

  remove(kind: RuleKind, id: string): void {
    this.db
      .transaction(() => {
        this.db.prepare('DELETE FROM rules WHERE kind = ? AND id = ?').run(kind, id)
        this.db.prepare('DELETE FROM rule_runs WHERE kind = ? AND rule = ?').run(kind, id)
        this.db.prepare('DELETE FROM rule_claims WHERE owner = ?').run(`${kind}:${id}`)
        this.db.prepare('DELETE FROM rule_holds WHERE owner = ?').run(`${kind}:${id}`)
      })
      .immediate()
  }

  pause(id: string): void {
    this.db.prepare("UPDATE rules SET paused = 1 WHERE kind = 'automation' AND id = ?").run(id)
  }

  runs(): readonly RunRecord[] {
    const sql = `SELECT ${RUN.fields} FROM rule_runs ORDER BY started_at, rowid`
    return this.db.prepare<[], RunRow>(sql).all().map(runFromRow)
  }

  begin(run: RunRecord): void {
    this.#core.commitDeferred(() => this.db.prepare(`INSERT INTO rule_runs ${RUN.values}`).run(runValues(run)))
  }

  claim(claim: NewClaim, run: RunRecord | null): boolean {
    return this.#together(() => {
      const values = { ...claim, missed: claim.missed ? 1 : 0 }
      this.db.prepare(UNCLAIM).run(values)
      if (this.db.prepare(CLAIM).run(values).changes === 0) return false
      this.db.prepare(PRUNE).run({ owner: claim.owner, slot: claim.slot })
      if (run) this.begin(run)
      return true
    })
  }

  claims(): readonly Claim[] {
    const rows = this.db.prepare<[], ClaimValues>(
      'SELECT owner, slot, date, at, missed, steady_at AS steadyAt FROM rule_claims ORDER BY rowid',
    )
    return rows.all().map((row) => ({ ...row, missed: row.missed === 1 }))
  }

  progress(run: string, { step, place, resumeAt, failures }: RunProgress): void {
    this.#core.commitDeferred(() =>
      this.db
        .prepare('UPDATE rule_runs SET step = ?, place = ?, resume_at = ?, failures = ? WHERE id = ?')
        .run(step, place === null ? null : JSON.stringify(place), resumeAt, JSON.stringify(failures), run),
    )
  }

  end(run: string): void {
    this.#core.commitDeferred(() => this.db.prepare('DELETE FROM rule_runs WHERE id = ?').run(run))
  }

  onDisk(): Promise<void> {
    return this.#core.onDisk()
  }

  holds(): readonly Hold[] {
    const rows = this.db.prepare<[], HoldRow>('SELECT owner, slot, since, fired, cause FROM rule_holds')
    return rows.all().map(({ cause, ...row }) => ({
      ...row,
      fired: row.fired === 1,
      cause: cause === null ? null : (JSON.parse(cause) as Cause),
    }))
  }

  together(run: () => void): void {
    this.#together(run)
  }

  saveHold(hold: Hold): void {
    this.#core.commitDeferred(() =>
      this.db
        .prepare(`INSERT INTO rule_holds (owner, slot, since, fired, cause)
      VALUES (@owner, @slot, @since, @fired, @cause)
      ON CONFLICT (owner, slot) DO UPDATE SET since = @since, fired = @fired, cause = @cause`)
        .run({ ...hold, fired: Number(hold.fired), cause: hold.cause === null ? null : JSON.stringify(hold.cause) }),
    )
  }

  dropHold(owner: string, slot: string): void {
    this.#core.commitDeferred(() =>
      this.db.prepare('DELETE FROM rule_holds WHERE owner = ? AND slot = ?').run(owner, slot),
    )
  }

  switchEnds(): readonly SwitchEnd[] {
    const rows = this.db.prepare<[], Readonly<Record<'rule' | 'cause', string>> & { enabled: number; until: number }>(
      'SELECT rule, enabled, until, cause FROM rule_switch_ends',
    )
    return rows.all().map((row) => ({ ...row, enabled: row.enabled === 1, cause: JSON.parse(row.cause) as Cause }))
  }

  saveSwitchEnd(end: SwitchEnd): void {
    this.#core.commitDeferred(() =>
      this.db
        .prepare('INSERT OR REPLACE INTO rule_switch_ends VALUES (@rule, @enabled, @until, @cause)')
        .run({ ...end, enabled: Number(end.enabled), cause: JSON.stringify(end.cause) }),
    )
  }

  dropSwitchEnd(rule: string): void {
    this.#core.commitDeferred(() => this.db.prepare('DELETE FROM rule_switch_ends WHERE rule = ?').run(rule))
  }

  #together<T>(run: () => T): T {
    return this.#core.commitDeferred(() => this.db.transaction(run).immediate())
  }
}

function ruleValues<K extends RuleKind>(kind: K, rule: RuleOf[K]) {
  const { id, name, enabled, revision, origin, author, changedAt, ...rest } = rule
  const { paused, ...definition } = { paused: false, ...rest }
  return {
    kind,
    id,
    name,
    revision,
    changedAt,
    enabled: Number(enabled),
    paused: Number(paused),
    ...authorValues({ origin, author }),
    definition: JSON.stringify(definition),
  }
}

function runValues({ of, steps, cause, principals, failures, place, trigger, ...run }: RunRecord) {
  return {
    ...run,
    kind: of.kind,
    rule: of.id,
    steps: JSON.stringify(steps),
    cause: JSON.stringify(cause),
    principals: JSON.stringify(principals),
    failures: JSON.stringify(failures),
    place: place === null ? null : JSON.stringify(place),
    trigger: trigger === null ? null : JSON.stringify(trigger),
  }
}

function ruleFromRow<K extends RuleKind>(kind: K, row: RuleRow): RuleOf[K] {
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    revision: row.revision,
    ...authorsOf(row),
    changedAt: row.changedAt,
    ...(kind === 'automation' && { paused: row.paused === 1 }),
    ...(JSON.parse(row.definition) as object),
  } as RuleOf[K] // `ruleValues` wrote the definition from a rule of this kind.
}

function runFromRow({ kind, rule, steps, cause, principals, failures, place, trigger, ...run }: RunRow): RunRecord {
  return {
    ...run,
    of: { kind, id: rule },
    steps: JSON.parse(steps) as Step[],
    cause: JSON.parse(cause) as Cause,
    principals: JSON.parse(principals) as Principal[],
    failures: JSON.parse(failures) as StepFailure[],
    place: place === null ? null : (JSON.parse(place) as RunPlace),
    trigger: trigger === null ? null : (JSON.parse(trigger) as RunTrigger),
  }
}
