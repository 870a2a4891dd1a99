import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { MessageNotice } from './messages.ts'
import type { MessageUrgency } from './recipients.ts'

/** Bodies of requests: our own, or of a ntfy server (docs/messages.md#webhooks). */
export const WEBHOOK_FORMATS = ['json', 'ntfy'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** An address that gets messages. Address and secret are shown only once. */
export interface Webhook {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly format: WebhookFormat
  /** Least urgency of its messages. */
  readonly least: MessageUrgency
  /** Key of the signatures, base64url. */
  readonly secret: string
  /** Epoch ms, as all times here. */
  readonly createdAt: number
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

/** One notice on its way to a webhook. */
export interface WebhookDelivery {
  readonly id: string
  readonly webhook: string
  /** Id of the message; of no stored message for the number of folded ones. */
  readonly message: string
  readonly notice: Pick<MessageNotice, 'message' | 'repeat'>
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  readonly createdAt: number
  /** Time of the next attempt, or of the last one. */
  readonly at: number
  /** Reason of the last failure as the end of a sentence, or null. */
  readonly error: string | null
}

export const WEBHOOKS_MAX = 10
export const WEBHOOK_URL_MAX = 500
/** Waits before the next attempts; the last one is repeated until the end of the delivery's life. */
export const DELIVERY_RETRY_MS: readonly number[] = [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
export const DELIVERY_LIFE_MS = 4 * HOUR_MS
export const ALARM_LIFE_MS = 24 * HOUR_MS
/** Requests of one webhook at once, so that an alarm does not wait for a hanging request. */
export const DELIVERIES_AT_ONCE = 4
/** Waiting deliveries of one webhook; beyond it the oldest normal one is given up. */
export const DELIVERIES_WAITING_MAX = 200
/** Stored deliveries of all webhooks. */
export const DELIVERIES_MAX = 5_000
