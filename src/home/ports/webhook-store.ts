import type { MessageDelivery } from '../model/deliveries.ts'
import type { Webhook } from '../model/webhooks.ts'

/** Webhooks. Writes run inside `UnitOfWork.change`. */
export interface WebhookStore {
  list(): readonly Webhook[]
  insert(webhook: Webhook): void
  /** Removes it with its deliveries. */
  remove(id: string): void
}

/** Deliveries of the channels of one sort, which end with their channel. Writes do not wait. */
export interface DeliveryStore {
  /** Deliveries that still wait, oldest first. */
  waiting(): readonly MessageDelivery[]
  /** Newest deliveries of a channel, newest first. */
  newestOf(channel: string, limit: number): readonly MessageDelivery[]
  put(delivery: MessageDelivery): void
  drop(delivery: string): void
  /** Keeps only the newest deliveries, and all that wait. */
  prune(max: number): void
}
