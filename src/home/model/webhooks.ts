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
  /** Epoch ms. */
  readonly createdAt: number
}

export const WEBHOOKS_MAX = 10
export const WEBHOOK_URL_MAX = 500
