/** A browser that gets messages by Web Push (docs/messages.md#web-push). */
export interface PushSubscription {
  readonly id: string
  readonly person: string
  /** Session that made it; its explicit end is the subscription's end. */
  readonly session: string
  /** User agent of the browser. */
  readonly browser: string
  /** Address at the browser's push service. A secret. */
  readonly endpoint: string
  /** Public key of the browser: an uncompressed point of P-256. */
  readonly p256dh: Buffer
  /** Authentication secret of the browser, 16 bytes. */
  readonly auth: Buffer
  /** True if the lock screen shows the words of messages. */
  readonly names: boolean
  /** Epoch ms. */
  readonly createdAt: number
}

export const PUSH_PER_PERSON_MAX = 10
export const PUSH_MAX = 100
export const PUSH_ENDPOINT_MAX = 1_000
