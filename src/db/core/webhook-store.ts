import type { WebhookDelivery, Webhook } from '../../home/model/webhooks.ts'
import type { WebhookStore } from '../../home/ports/webhook-store.ts'
import { Columns, CoreStore } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const WEBHOOK = new Columns('id', 'name', 'url', 'format', 'least', 'secret', 'created_at')
const DELIVERY = new Columns(
  ...['id', 'webhook', 'message', 'notice', 'state', 'attempts', 'created_at', 'at', 'error'],
)

type DeliveryRow = Omit<WebhookDelivery, 'notice'> & { readonly notice: string }

/** Webhooks and deliveries in core.db, so that backups have them. */
export class SqliteWebhooks extends CoreStore implements WebhookStore {
  readonly #core: Pick<CoreDb, 'commitDeferred'>

  constructor(core: Pick<CoreDb, 'db' | 'commitDeferred'>) {
    super(core)
    this.#core = core
  }

  list(): readonly Webhook[] {
    return this.db.prepare<[], Webhook>(`SELECT ${WEBHOOK.fields} FROM webhooks ORDER BY created_at, id`).all()
  }

  insert(webhook: Webhook): void {
    this.db.prepare(`INSERT INTO webhooks ${WEBHOOK.values}`).run(webhook)
  }

  remove(id: string): void {
    this.db.prepare('DELETE FROM webhooks WHERE id = ?').run(id)
  }

  waiting(): readonly WebhookDelivery[] {
    const sql = `SELECT ${DELIVERY.fields} FROM deliveries WHERE state = 'waiting' ORDER BY n`
    return this.db.prepare<[], DeliveryRow>(sql).all().map(fromRow)
  }

  newestOf(webhook: string, limit: number): readonly WebhookDelivery[] {
    const sql = `SELECT ${DELIVERY.fields} FROM deliveries WHERE webhook = ? ORDER BY n DESC LIMIT ?`
    return this.db.prepare<[string, number], DeliveryRow>(sql).all(webhook, limit).map(fromRow)
  }

  put(delivery: WebhookDelivery): void {
    const row = { ...delivery, notice: JSON.stringify(delivery.notice) }
    this.#core.commitDeferred(() =>
      this.db
        .prepare(`INSERT INTO deliveries ${DELIVERY.values} ON CONFLICT (id) DO UPDATE SET
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

const fromRow = ({ notice, ...row }: DeliveryRow): WebhookDelivery => ({
  ...row,
  notice: JSON.parse(notice) as WebhookDelivery['notice'],
})
