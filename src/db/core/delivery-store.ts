import type { MessageDelivery } from '../../home/model/deliveries.ts'
import type { DeliveryStore } from '../../home/ports/webhook-store.ts'
import { Columns, CoreStore } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const FIELDS = ['id', 'message', 'notice', 'state', 'attempts', 'created_at', 'at', 'error']

type DeliveryRow = Omit<MessageDelivery, 'notice' | 'channel'> & {
  readonly notice: string
  readonly webhook?: string
  readonly push?: string
}

/** Deliveries of webhooks or of push subscriptions in core.db, so that backups have them. */
export class SqliteDeliveries extends CoreStore implements DeliveryStore {
  readonly #core: Pick<CoreDb, 'commitDeferred'>
  readonly #channel: 'webhook' | 'push'
  readonly #columns: Columns

  constructor(core: Pick<CoreDb, 'db' | 'commitDeferred'>, channel: 'webhook' | 'push') {
    super(core)
    this.#core = core
    this.#channel = channel
    this.#columns = new Columns(...FIELDS, channel)
  }

  waiting(): readonly MessageDelivery[] {
    const sql = `SELECT ${this.#columns.fields} FROM deliveries
      WHERE state = 'waiting' AND ${this.#channel} IS NOT NULL ORDER BY n`
    return this.db.prepare<[], DeliveryRow>(sql).all().map(fromRow)
  }

  newestOf(channel: string, limit: number): readonly MessageDelivery[] {
    const sql = `SELECT ${this.#columns.fields} FROM deliveries WHERE ${this.#channel} = ? ORDER BY n DESC LIMIT ?`
    return this.db.prepare<[string, number], DeliveryRow>(sql).all(channel, limit).map(fromRow)
  }

  put({ channel, ...delivery }: MessageDelivery): void {
    const row = { ...delivery, [this.#channel]: channel, notice: JSON.stringify(delivery.notice) }
    this.#core.commitDeferred(() =>
      this.db
        .prepare(`INSERT INTO deliveries ${this.#columns.values} ON CONFLICT (id) DO UPDATE SET
          state = @state, attempts = @attempts, at = @at, error = @error`)
        .run(row),
    )
  }

  drop(delivery: string): void {
    this.#core.commitDeferred(() => this.db.prepare('DELETE FROM deliveries WHERE id = ?').run(delivery))
  }

  prune(max: number): void {
    const sql = "DELETE FROM deliveries WHERE state <> 'waiting' AND n <= (SELECT max(n) FROM deliveries) - ?"
    this.#core.commitDeferred(() => this.db.prepare(sql).run(max))
  }
}

const fromRow = ({ notice, webhook, push, ...row }: DeliveryRow): MessageDelivery => ({
  ...row,
  channel: webhook ?? push ?? '',
  notice: JSON.parse(notice) as MessageDelivery['notice'],
})
