import type { WebhookDelivery, Webhook } from '../model/webhooks.ts'

/** Webhooks and their deliveries. `insert` and `remove` run inside `UnitOfWork.change`; other writes do not wait. */
export interface WebhookStore {
  list(): readonly Webhook[]
  insert(webhook: Webhook): void
  /** Removes it with its deliveries. */
  remove(id: string): void
  /** Deliveries that still wait, oldest first. */
  waiting(): readonly WebhookDelivery[]
  /** Newest deliveries of a webhook, newest first. */
  newestOf(webhook: string, limit: number): readonly WebhookDelivery[]
  put(delivery: WebhookDelivery): void
  drop(delivery: string): void
  /** Keeps only the newest deliveries, and all that wait. */
  prune(max: number): void
}
