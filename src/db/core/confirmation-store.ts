import type { Confirmation, ConfirmationStore } from '../../auth/confirmation.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { Db } from '../database.ts'

interface ConfirmationRow {
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
  decided_by: string | null
  steady_decided_at: number | null
}

/**
 * Confirmations in core.db: what an administrator confirmed is there after a restart, and what was used up is not (D4).
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

  insert(each: Confirmation): void {
    this.#db
      .prepare(`INSERT INTO confirmations
      (id, link, subject, call_sha256, op, what, code, wrong_codes, asked_at, steady_asked_at, state, decided_by, steady_decided_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(
        each.id,
        each.link,
        each.subject,
        each.callSha256,
        each.op,
        each.what,
        each.code,
        each.wrongCodes,
        each.askedAt,
        each.steadyAskedAt,
        each.state,
        ...decisionColumns(each),
      )
  }

  update(each: Confirmation): void {
    this.#db
      .prepare(
        'UPDATE confirmations SET state = ?, wrong_codes = ?, decided_by = ?, steady_decided_at = ? WHERE id = ?',
      )
      .run(each.state, each.wrongCodes, ...decisionColumns(each), each.id)
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM confirmations WHERE id = ?').run(id)
  }
}

function decisionColumns({ decision }: Confirmation): readonly [string | null, number | null] {
  return decision === null ? [null, null] : [JSON.stringify(decision.by), decision.steadyAt]
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
    decision:
      row.decided_by === null || row.steady_decided_at === null
        ? null
        : { by: JSON.parse(row.decided_by) as Cause, steadyAt: row.steady_decided_at },
  }
}
