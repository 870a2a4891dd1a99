import type { Webhook } from '../../home/model/webhooks.ts'
import type { WebhookStore } from '../../home/ports/webhook-store.ts'
import { Columns, CoreStore } from './columns.ts'

const WEBHOOK = new Columns('id', 'name', 'url', 'format', 'least', 'secret', 'created_at')

/** Webhooks in core.db, so that backups have them. */
export class SqliteWebhooks extends CoreStore implements WebhookStore {
  list(): readonly Webhook[] {
    return this.db.prepare<[], Webhook>(`SELECT ${WEBHOOK.fields} FROM webhooks ORDER BY created_at, id`).all()
  }

  insert(webhook: Webhook): void {
    this.db.prepare(`INSERT INTO webhooks ${WEBHOOK.values}`).run(webhook)
  }

  remove(id: string): void {
    this.db.prepare('DELETE FROM webhooks WHERE id = ?').run(id)
  }
}
