import type { Operator, OperatorScope, OperatorStore } from '../../auth/operators/operators.ts'
import { RowsById } from './cached-rows.ts'
import { Columns } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = new Columns('id', 'name', 'scopes', 'secret_sha256', 'created_at', 'used_at')
const ALL = `SELECT ${COLUMNS.fields} FROM operators ORDER BY created_at, id`
type OperatorRow = Omit<Operator, 'scopes'> & { readonly scopes: string }

/** The programs that look after the gateway, in core.db. A scope that this program does not know lets do nothing. */
export class SqliteOperators extends RowsById<Operator> implements OperatorStore {
  constructor(core: CoreDb) {
    super(core, 'operators', () =>
      core.db
        .prepare<[], OperatorRow>(ALL)
        .all()
        .map((row) => ({ ...row, scopes: row.scopes.split(' ') as OperatorScope[] })),
    )
  }

  insert(operator: Operator): void {
    this.db.prepare(`INSERT INTO operators ${COLUMNS.values}`).run({ ...operator, scopes: operator.scopes.join(' ') })
  }

  used(id: string, at: number): void {
    this.db.prepare('UPDATE operators SET used_at = ? WHERE id = ?').run(at, id)
  }
}
