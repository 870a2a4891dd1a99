import { createHmac, type ECDH } from 'node:crypto'
import type { Post } from '../../lib/checked-post.ts'
import { HOUR_MS } from '../../lib/durations.ts'
import type { MessageKind } from '../model/messages.ts'
import type { PushSubscription } from '../model/push.ts'
import { LOOK_TITLE, repeatedTitle } from '../words/messages.ts'
import type { OutgoingNotice } from './deliveries.ts'
import { encrypted, type MessageKeys, vapidHeader } from './push-encryption.ts'

/** Length of every content before encryption, so that a push service learns nothing by it. */
export const CONTENT_BYTES = 1_024
const TOKEN_MS = 12 * HOUR_MS
const TOPIC_LENGTH = 32
/** Contact in the signature. Push services demand a public https address; the project has no page of its own. */
const CONTACT = 'https://www.rfc-editor.org/rfc/rfc8292'

/** Content for the console's service worker (console/worker.js). */
export interface PushContent {
  readonly title: string
  /** Further words below the title. */
  readonly body?: string
  /** Notifications with the same tag replace each other. */
  readonly tag: string
  /** True for an alarm, whose notification stays. */
  readonly alarm: boolean
}

interface PushSender {
  /** Keys of the home's signatures. */
  readonly ecdh: ECDH
  readonly home: string
  /** Epoch ms. */
  readonly now: number
}

/** Request to the push service of a browser, encrypted with these fresh keys. */
export function pushRequest(
  subscription: Pick<PushSubscription, 'endpoint' | 'p256dh' | 'auth' | 'names'>,
  sent: OutgoingNotice,
  { ecdh, home, now }: PushSender,
  keys: MessageKeys,
): Post {
  const url = new URL(subscription.endpoint)
  const { message, lifeMs } = sent
  const tag = topicOf(subscription.auth, message)
  const alarm = message.urgency === 'alarm'
  const body = encrypted(contentOf(subscription.names, sent, { home, tag, alarm }), subscription, keys, CONTENT_BYTES)
  const claims = { aud: url.origin, exp: Math.floor((now + TOKEN_MS) / 1_000), sub: CONTACT }
  const headers = {
    authorization: vapidHeader(ecdh, claims),
    'content-encoding': 'aes128gcm',
    'content-length': String(body.length),
    'content-type': 'application/octet-stream',
    topic: tag,
    ttl: String(Math.floor(lifeMs / 1_000)),
    urgency: message.urgency === 'normal' ? 'normal' : 'high',
  }
  return { url, headers, body }
}

/** A repetition replaces the message before. Only the browser and the home could tell which message it is about. */
function topicOf(auth: Buffer, { id, kind }: { readonly id: string; readonly kind: MessageKind }): string {
  const mac = createHmac('sha256', auth).update(kind === 'more' ? kind : `message ${id}`)
  return mac.digest('base64url').slice(0, TOPIC_LENGTH)
}

/** JSON of at most `CONTENT_BYTES`; longer words are cut. */
function contentOf(
  names: boolean,
  { message, repeat }: OutgoingNotice,
  home: Omit<PushContent, 'title'> & { home: string },
): Buffer {
  const { tag, alarm } = home
  const content = (title: string): Buffer =>
    Buffer.from(
      JSON.stringify((names ? { title, body: home.home, tag, alarm } : { title, tag, alarm }) satisfies PushContent),
    )
  const words = names ? repeatedTitle(message.title, repeat) : LOOK_TITLE
  const letters = Array.from(new Intl.Segmenter('en').segment(words), ({ segment }) => segment)
  while (letters.length > 0 && content(letters.join('')).length > CONTENT_BYTES) letters.pop()
  return content(letters.join(''))
}
