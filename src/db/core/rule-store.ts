import type { Statement } from 'better-sqlite3'
import { type Result, fail, ok } from '../../lib/result.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { Step } from '../../home/model/house.ts'
import {
  CLAIMS_KEPT,
  CLAIMS_KEPT_OF_OWNER,
  type Claim,
  type Hold,
  type RuleStore,
  type RunKind,
  type RunRecord,
} from '../../home/ports/rule-store.ts'
import type { Priority } from '../../home/ports/unit-bus.ts'
import type { RuleKind, RuleOf } from '../../home/rules/model.ts'
import type { Db } from '../database.ts'

interface RuleRow {
  id: string
  name: string
  enabled: number
  revision: number
  origin_integration: string | null
  origin_link: string | null
  definition: string
  paused: number
  changed_at: number
}
interface RunRow {
  id: string
  kind: RunKind
  rule: string
  steps: string
  cause: string
  priority: Priority
  started_at: number
  step: number
  resume_at: number | null
}

const STATEMENTS = {
  all: 'SELECT * FROM rules WHERE kind = ? ORDER BY rowid',
  insert: `INSERT INTO rules (kind, id, name, enabled, revision, origin_integration, origin_link, definition, paused, changed_at)
    VALUES (@kind, @id, @name, @enabled, @revision, @originIntegration, @originLink, @definition, @paused, @changedAt)`,
  replace: `UPDATE rules SET name = @name, enabled = @enabled, revision = @revision, definition = @definition, paused = @paused,
    changed_at = @changedAt WHERE kind = @kind AND id = @id AND revision = @ifRevision`,
  revision: 'SELECT revision FROM rules WHERE kind = ? AND id = ?',
  remove: 'DELETE FROM rules WHERE kind = ? AND id = ?',
  removeRuns: 'DELETE FROM rule_runs WHERE kind = ? AND rule = ?',
  removeClaims: 'DELETE FROM rule_claims WHERE owner = ?',
  removeHolds: 'DELETE FROM rule_holds WHERE owner = ?',
  pause: `UPDATE rules SET paused = 1 WHERE kind = 'automation' AND id = ?`,
  runs: 'SELECT * FROM rule_runs ORDER BY started_at, rowid',
  begin: `INSERT INTO rule_runs (id, kind, rule, steps, cause, priority, started_at, step, resume_at)
    VALUES (@id, @kind, @rule, @steps, @cause, @priority, @startedAt, @step, @resumeAt)`,
  claim: 'INSERT OR IGNORE INTO rule_claims (owner, slot, date, at) VALUES (@owner, @slot, @date, @at)',
  prune: `DELETE FROM rule_claims WHERE owner = @owner AND ((slot = @slot AND rowid NOT IN
    (SELECT rowid FROM rule_claims WHERE owner = @owner AND slot = @slot ORDER BY rowid DESC LIMIT ${CLAIMS_KEPT}))
    OR rowid NOT IN (SELECT rowid FROM rule_claims WHERE owner = @owner ORDER BY rowid DESC LIMIT ${CLAIMS_KEPT_OF_OWNER}))`,
  claims: 'SELECT owner, slot, date, at FROM rule_claims ORDER BY rowid',
  progress: 'UPDATE rule_runs SET step = ?, resume_at = ? WHERE id = ?',
  end: 'DELETE FROM rule_runs WHERE id = ?',
  holds: 'SELECT owner, slot, since, fired FROM rule_holds',
  saveHold: `INSERT INTO rule_holds (owner, slot, since, fired) VALUES (@owner, @slot, @since, @fired)
    ON CONFLICT (owner, slot) DO UPDATE SET since = @since, fired = @fired`,
  dropHold: 'DELETE FROM rule_holds WHERE owner = ? AND slot = ?',
} as const

/** Automations, schedules and their runs in core.db. */
export class SqliteRules implements RuleStore {
  readonly #db: Db
  readonly #statements = new Map<keyof typeof STATEMENTS, Statement>()

  constructor(core: { readonly db: Db }) {
    this.#db = core.db
  }

  all<K extends RuleKind>(kind: K): readonly RuleOf[K][] {
    return (this.#sql('all').all(kind) as RuleRow[]).map((row) => toRule(kind, row))
  }

  insert<K extends RuleKind>(kind: K, rule: RuleOf[K]): void {
    this.#sql('insert').run(toValues(kind, rule))
  }

  replace<K extends RuleKind>(kind: K, rule: RuleOf[K], ifRevision: number): Result<null, number | null> {
    const { originIntegration: _, originLink: __, ...values } = toValues(kind, rule)
    return this.#db
      .transaction(() => {
        if (this.#sql('replace').run({ ...values, ifRevision }).changes === 1) return ok(null)
        const row = this.#sql('revision').get(kind, rule.id) as { revision: number } | undefined
        return fail(row?.revision ?? null)
      })
      .immediate()
  }

  remove(kind: RuleKind, id: string): void {
    this.#db
      .transaction(() => {
        this.#sql('remove').run(kind, id)
        this.#sql('removeRuns').run(kind, id)
        this.#sql('removeClaims').run(`${kind}:${id}`)
        this.#sql('removeHolds').run(`${kind}:${id}`)
      })
      .immediate()
  }

  pause(id: string): void {
    this.#sql('pause').run(id)
  }

  runs(): readonly RunRecord[] {
    return (this.#sql('runs').all() as RunRow[]).map(toRun)
  }

  begin(run: RunRecord): void {
    const { of, ...rest } = run
    this.#sql('begin').run({
      ...rest,
      kind: of.kind,
      rule: of.id,
      steps: JSON.stringify(run.steps),
      cause: JSON.stringify(run.cause),
    })
  }

  claim(claim: Claim, run: RunRecord | null): boolean {
    return this.#db
      .transaction(() => {
        if (this.#sql('claim').run(claim).changes === 0) return false
        this.#sql('prune').run({ owner: claim.owner, slot: claim.slot })
        if (run) this.begin(run)
        return true
      })
      .immediate()
  }

  claims(): readonly Claim[] {
    return this.#sql('claims').all() as Claim[]
  }

  progress(run: string, step: number, resumeAt: number | null): void {
    this.#sql('progress').run(step, resumeAt, run)
  }

  end(run: string): void {
    this.#sql('end').run(run)
  }

  holds(): readonly Hold[] {
    return (this.#sql('holds').all() as { owner: string; slot: string; since: number; fired: number }[]).map((row) => ({
      ...row,
      fired: row.fired === 1,
    }))
  }

  together(run: () => void): void {
    this.#db.transaction(run).immediate()
  }

  saveHold(hold: Hold): void {
    this.#sql('saveHold').run({ ...hold, fired: hold.fired ? 1 : 0 })
  }

  dropHold(owner: string, slot: string): void {
    this.#sql('dropHold').run(owner, slot)
  }

  #sql(name: keyof typeof STATEMENTS): Statement {
    let statement = this.#statements.get(name)
    if (!statement) {
      statement = this.#db.prepare(STATEMENTS[name])
      this.#statements.set(name, statement)
    }
    return statement
  }
}

function toValues<K extends RuleKind>(kind: K, rule: RuleOf[K]) {
  const { id, name, enabled, revision, origin, changedAt, ...rest } = rule
  const { paused, ...definition } = { paused: false, ...rest }
  return {
    kind,
    id,
    name,
    revision,
    changedAt,
    enabled: enabled ? 1 : 0,
    paused: paused ? 1 : 0,
    originIntegration: origin?.integration ?? null,
    originLink: origin?.link ?? null,
    definition: JSON.stringify(definition),
  }
}

function toRule<K extends RuleKind>(kind: K, row: RuleRow): RuleOf[K] {
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    revision: row.revision,
    origin:
      row.origin_integration === null ? null : { integration: row.origin_integration, link: row.origin_link ?? '' },
    changedAt: row.changed_at,
    ...(kind === 'automation' && { paused: row.paused === 1 }),
    ...(JSON.parse(row.definition) as object),
  } as RuleOf[K] // The definition was written from a rule of this kind by `toValues`.
}

function toRun(row: RunRow): RunRecord {
  return {
    id: row.id,
    of: { kind: row.kind, id: row.rule },
    steps: JSON.parse(row.steps) as Step[],
    cause: JSON.parse(row.cause) as Cause,
    priority: row.priority,
    startedAt: row.started_at,
    step: row.step,
    resumeAt: row.resume_at,
  }
}
