import type { Confirmation, ConfirmationStore, GuessWait } from '../../auth/agents/confirmation.ts'
import { Columns, CoreStore, DECISION_COLUMNS, decisionOf, type DecisionRow, decisionValues } from './columns.ts'

const COLUMNS = new Columns(
  ...['id', 'link', 'subject', 'call_sha256', 'op', 'what', 'code', 'wrong_codes', 'asked_at', 'steady_asked_at'],
  ...['state', ...DECISION_COLUMNS],
)
type ConfirmationRow = Omit<Confirmation, 'decision'> & DecisionRow

/**
 * Confirmations in core.db. A confirmed opening survives a restart, a used one does not (docs/agents.md#confirmation).
 */
export class SqliteConfirmations extends CoreStore implements ConfirmationStore {
  list(): readonly Confirmation[] {
    const sql = `SELECT ${COLUMNS.fields} FROM confirmations ORDER BY steady_asked_at, id`
    return this.db
      .prepare<[], ConfirmationRow>(sql)
      .all()
      .map(({ decidedBy, steadyDecidedAt, ...row }) => ({
        ...row,
        decision: decisionOf({ decidedBy, steadyDecidedAt }),
      }))
  }

  insert(confirmation: Confirmation): void {
    this.db
      .prepare(`INSERT INTO confirmations ${COLUMNS.values}`)
      .run({ ...confirmation, ...decisionValues(confirmation.decision) })
  }

  update({ id, state, wrongCodes, decision }: Confirmation): void {
    this.db
      .prepare(
        `UPDATE confirmations SET state = @state, wrong_codes = @wrongCodes, decided_by = @decidedBy,
        steady_decided_at = @steadyDecidedAt WHERE id = @id`,
      )
      .run({ id, state, wrongCodes, ...decisionValues(decision) })
  }

  remove(id: string): void {
    this.db.prepare('DELETE FROM confirmations WHERE id = ?').run(id)
  }

  wait(link: string): GuessWait | null {
    const sql = 'SELECT declines, steady_until AS until FROM guess_waits WHERE link = ?'
    return this.db.prepare<[string], GuessWait>(sql).get(link) ?? null
  }

  setWait(link: string, { declines, until }: GuessWait): void {
    this.db
      .prepare('INSERT OR REPLACE INTO guess_waits (link, declines, steady_until) VALUES (?, ?, ?)')
      .run(link, declines, until)
  }

  endWait(link: string): void {
    this.db.prepare('DELETE FROM guess_waits WHERE link = ?').run(link)
  }
}
