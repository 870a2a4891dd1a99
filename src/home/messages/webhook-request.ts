import { createHmac } from 'node:crypto'
import type { Post } from '../../lib/checked-post.ts'
import type { MessageKind, MessageNotice } from '../model/messages.ts'
import type { MessageUrgency } from '../model/recipients.ts'
import type { Webhook } from '../model/webhooks.ts'
import { repeatedTitle } from '../words/messages.ts'

/** The home as receivers know it. */
export interface SendingHome {
  readonly gateway: string
  readonly home: string
}

/** Request with a notice, signed at this time (epoch ms). */
export function webhookRequest(
  { url, format, secret }: Pick<Webhook, 'url' | 'format' | 'secret'>,
  notice: Pick<MessageNotice, 'message' | 'repeat'>,
  from: SendingHome,
  now: number,
): Post {
  const target = new URL(url)
  const content = format === 'ntfy' ? ntfyBody(target, notice, from) : jsonBody(notice, from)
  const body = JSON.stringify(content)
  if (format === 'ntfy') target.pathname = target.pathname.slice(0, target.pathname.lastIndexOf('/') + 1)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'hm-gateway',
    'hm-signature': signatureOf(body, secret, Math.floor(now / 1_000)),
  }
  return { url: target, headers, body }
}

/** `t=1798761600,v1=…`: HMAC-SHA256 of the time in seconds, a full stop and the body. */
export function signatureOf(body: string, secret: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

function jsonBody({ message, repeat }: Pick<MessageNotice, 'message' | 'repeat'>, from: SendingHome): object {
  const { id, at, kind, urgency, title, device, go, acknowledgedAt, endedAt } = message
  return {
    ...from,
    message: { id, at, kind, urgency, title, device, go, acknowledged: acknowledgedAt, ended: endedAt },
    repeat,
  }
}

const NTFY_PRIORITY: Readonly<Record<MessageUrgency, number>> = { normal: 3, high: 4, alarm: 5 }

/** Names of ntfy's pictures. */
const NTFY_TAGS: Readonly<Partial<Record<MessageKind, string>>> = {
  smoke: 'fire',
  water: 'droplet',
  tamper: 'rotating_light',
  entrance_open: 'door',
  battery: 'battery',
}

/** Body for the root of a ntfy server; the topic is the last part of the address. */
function ntfyBody(
  { pathname }: URL,
  { message, repeat }: Pick<MessageNotice, 'message' | 'repeat'>,
  { home }: SendingHome,
): object {
  const { urgency, kind, title } = message
  return {
    topic: decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)),
    title: home,
    message: repeatedTitle(title, repeat),
    priority: NTFY_PRIORITY[urgency],
    tags: [NTFY_TAGS[kind] ?? 'house'],
  }
}
