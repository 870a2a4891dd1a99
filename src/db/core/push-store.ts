import type { PushSubscription } from '../../home/model/push.ts'
import type { PushStore } from '../../home/ports/push-store.ts'
import { RowsById } from './cached-rows.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = ['id', 'person', 'session', 'browser', 'endpoint', 'p256dh', 'auth', 'names', 'created_at']

type SubscriptionRow = Omit<PushSubscription, 'names'> & { readonly names: number }

/** Push subscriptions in core.db with the key of their signatures, so that they work after a restore. */
export class SqlitePush extends RowsById<PushSubscription, SubscriptionRow> implements PushStore {
  constructor(core: CoreDb) {
    super(core, 'push_subscriptions', COLUMNS, (row) => ({ ...row, names: row.names === 1 }))
  }

  insert(subscription: PushSubscription): void {
    this.insertRow({ ...subscription, names: Number(subscription.names) })
  }

  privateKey(): Buffer | null {
    const row = this.db.prepare<[], { key: Buffer }>('SELECT private_key AS key FROM push_key').get()
    return row?.key ?? null
  }

  setPrivateKey(key: Buffer): void {
    this.db.prepare('INSERT OR REPLACE INTO push_key (one, private_key) VALUES (1, ?)').run(key)
  }
}
