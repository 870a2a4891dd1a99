import type { Confirmation, ConfirmationStore, GuessWait } from '../../auth/agents/confirmation.ts'
import type { Db } from '../database.ts'
import { decisionOf, type DecisionRow, decisionValues } from './decision-row.ts'

interface ConfirmationRow extends DecisionRow {
  id: string
  link: string
  subject: string
  call_sha256: Buffer
  op: string
  what: string
  code: string
  wrong_codes: number
  asked_at: number
  steady_asked_at: number
  state: Confirmation['state']
}

/**
 * Confirmations in core.db: what an administrator confirmed is there after a restart, and what was used up is not
 * (docs/agents.md#confirmation).
 */
export class SqliteConfirmations implements ConfirmationStore {
  readonly #db: Db

  constructor(core: { readonly db: Db }) {
    this.#db = core.db
  }

  list(): readonly Confirmation[] {
    return this.#db
      .prepare<[], ConfirmationRow>('SELECT * FROM confirmations ORDER BY steady_asked_at, id')
      .all()
      .map(fromRow)
  }

  insert(confirmation: Confirmation): void {
    const { decision, ...values } = confirmation
    this.#db
      .prepare(
        `INSERT INTO confirmations (id, link, subject, call_sha256, op, what, code, wrong_codes, asked_at, steady_asked_at, state,
        decided_by, steady_decided_at)
        VALUES (@id, @link, @subject, @callSha256, @op, @what, @code, @wrongCodes, @askedAt, @steadyAskedAt, @state,
        @decidedBy, @steadyDecidedAt)`,
      )
      .run({ ...values, ...decisionValues(decision) })
  }

  update({ id, state, wrongCodes, decision }: Confirmation): void {
    this.#db
      .prepare(
        `UPDATE confirmations SET state = @state, wrong_codes = @wrongCodes, decided_by = @decidedBy,
        steady_decided_at = @steadyDecidedAt WHERE id = @id`,
      )
      .run({ id, state, wrongCodes, ...decisionValues(decision) })
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM confirmations WHERE id = ?').run(id)
  }

  wait(link: string): GuessWait | null {
    const sql = 'SELECT declines, steady_until AS until FROM guess_waits WHERE link = ?'
    return this.#db.prepare<[string], GuessWait>(sql).get(link) ?? null
  }

  setWait(link: string, { declines, until }: GuessWait): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO guess_waits (link, declines, steady_until) VALUES (?, ?, ?)')
      .run(link, declines, until)
  }

  endWait(link: string): void {
    this.#db.prepare('DELETE FROM guess_waits WHERE link = ?').run(link)
  }
}

function fromRow(row: ConfirmationRow): Confirmation {
  return {
    id: row.id,
    link: row.link,
    subject: row.subject,
    callSha256: row.call_sha256,
    op: row.op,
    what: row.what,
    code: row.code,
    wrongCodes: row.wrong_codes,
    askedAt: row.asked_at,
    steadyAskedAt: row.steady_asked_at,
    state: row.state,
    decision: decisionOf(row),
  }
}
