import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { MessageNotice } from './messages.ts'
import type { MessageUrgency } from './recipients.ts'

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

/** One notice on its way to a channel: a webhook, or a push subscription. */
export interface MessageDelivery {
  readonly id: string
  readonly channel: string
  /** Id of the message; of no stored message for the number of folded ones. */
  readonly message: string
  readonly notice: Pick<MessageNotice, 'message' | 'repeat'>
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  /** Epoch ms, as all times here. */
  readonly createdAt: number
  /** Time of the next attempt, or of the last one. */
  readonly at: number
  /** Reason of the last failure as the end of a sentence, or null. */
  readonly error: string | null
}

/** Waits before the next attempts; the last one is repeated until the end of the delivery's life. */
export const DELIVERY_RETRY_MS: readonly number[] = [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
export const DELIVERY_LIFE_MS = 4 * HOUR_MS
export const ALARM_LIFE_MS = 24 * HOUR_MS
/** Requests of one channel at once, so that an alarm does not wait for a hanging request. */
export const DELIVERIES_AT_ONCE = 4
/** Waiting deliveries of one channel; beyond it the oldest normal one is given up. */
export const DELIVERIES_WAITING_MAX = 200
/** Stored deliveries of all channels. */
export const DELIVERIES_MAX = 5_000

/** Time for which a message is worth delivering. */
export function deliveryLife(urgency: MessageUrgency): number {
  return urgency === 'alarm' ? ALARM_LIFE_MS : DELIVERY_LIFE_MS
}
