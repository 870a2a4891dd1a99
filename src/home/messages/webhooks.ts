import type { Post, PostResult } from '../../lib/checked-post.ts'
import { isRefusedHost } from '../../lib/checked-request.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/durations.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { ActivityDraft, Cause } from '../model/events.ts'
import type { MessageNotice } from '../model/messages.ts'
import { URGENCIES } from '../model/recipients.ts'
import {
  ALARM_LIFE_MS,
  DELIVERIES_AT_ONCE,
  DELIVERIES_MAX,
  DELIVERIES_WAITING_MAX,
  type WebhookDelivery,
  DELIVERY_LIFE_MS,
  DELIVERY_RETRY_MS,
  type Webhook,
  WEBHOOK_URL_MAX,
  WEBHOOKS_MAX,
} from '../model/webhooks.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { WebhookStore } from '../ports/webhook-store.ts'
import { Fold } from './fold.ts'
import { type MessageBoard, moreNotice, testNotice } from './messages.ts'
import { type SendingHome, webhookRequest } from './webhook-request.ts'

const ID_LENGTH = 10
const SECRET_BYTES = 32
const HTTP_OK = { least: 200, most: 299 } as const

interface WebhooksParts {
  readonly store: WebhookStore
  readonly work: UnitOfWork
  readonly messages: Pick<MessageBoard, 'notices' | 'get'>
  readonly from: () => SendingHome
  readonly post: (post: Post) => Promise<PostResult>
  /** Entry about administration. */
  readonly entry: (what: string, cause: Cause) => ActivityDraft
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The queue of one webhook. */
interface Queue {
  readonly webhook: Webhook
  readonly fold: Fold
  /** Waiting deliveries by id, oldest first. */
  readonly waiting: Map<string, WebhookDelivery>
  /** Monotonic time of the next attempt, by id. */
  readonly due: Map<string, number>
  readonly running: Set<string>
  cancel: (() => void) | null
}

/**
 * Webhooks of administrators (docs/messages.md#webhooks). Each has a queue of its own, so that one that does not answer
 * delays no other. Deliveries are stored, and continue after a restart.
 */
export class Webhooks {
  readonly #parts: WebhooksParts
  readonly #queues = new Map<string, Queue>()
  #unsubscribe: (() => void) | null = null

  constructor(parts: WebhooksParts) {
    this.#parts = parts
    for (const webhook of parts.store.list()) this.#open(webhook)
    this.#unsubscribe = parts.messages.notices.on((notice) => this.#onNotice(notice))
  }

  /** Continues deliveries from before a stop. */
  start(): void {
    for (const delivery of this.#parts.store.waiting()) {
      const queue = this.#queues.get(delivery.webhook)
      if (queue) this.#enqueue(queue, delivery)
    }
  }

  stop(): void {
    this.#unsubscribe?.()
    for (const queue of this.#queues.values()) this.#close(queue)
    this.#queues.clear()
  }

  list(): readonly Webhook[] {
    return [...this.#queues.values()].map(({ webhook }) => webhook)
  }

  /** Newest deliveries of a webhook, newest first. */
  deliveriesOf(id: string, limit: number): readonly WebhookDelivery[] {
    return this.#parts.store.newestOf(id, limit)
  }

  /** Adds a webhook; its secret is in the result only. The error is one sentence. */
  add(
    { name, url, format, least }: Pick<Webhook, 'name' | 'url' | 'format' | 'least'>,
    cause: Cause,
  ): Result<Webhook, string> {
    const { store, work, entry, random, clock } = this.#parts
    const problem = urlProblem(url) ?? (this.#queues.size < WEBHOOKS_MAX ? null : TOO_MANY)
    if (problem !== null) return fail(problem)
    const secret = random.bytes(SECRET_BYTES).toString('base64url')
    const webhook = { id: randomId(random, ID_LENGTH), name, url, format, least, secret, createdAt: clock.now() }
    work.change((record) => {
      store.insert(webhook)
      record(entry(`webhook “${name}” to ${new URL(url).host} added`, cause))
    })
    this.#open(webhook)
    return ok(webhook)
  }

  /** Removes a webhook with its waiting deliveries; false if there is none. */
  remove(id: string, cause: Cause): boolean {
    const { store, work, entry } = this.#parts
    const queue = this.#queues.get(id)
    if (queue === undefined) return false
    work.change((record) => {
      store.remove(id)
      record(entry(`webhook “${queue.webhook.name}” removed`, cause))
    })
    this.#close(queue)
    this.#queues.delete(id)
    return true
  }

  /** Sends a test message at once; null if there is no such webhook. */
  async test(id: string): Promise<PostResult | null> {
    const webhook = this.#queues.get(id)?.webhook
    return webhook === undefined ? null : this.#send(webhook, testNotice(this.#parts.clock.now()))
  }

  #open(webhook: Webhook): void {
    const more = (count: number): void => {
      const { clock, random } = this.#parts
      const queue = this.#queues.get(webhook.id)
      if (queue) this.#deliver(queue, moreNotice(count, randomId(random, ID_LENGTH), clock.now()))
    }
    const fold = new Fold(this.#parts.clock, more)
    this.#queues.set(webhook.id, {
      ...{ webhook, fold, waiting: new Map(), due: new Map(), running: new Set(), cancel: null },
    })
  }

  #close(queue: Queue): void {
    queue.fold.stop()
    queue.cancel?.()
    queue.waiting.clear()
    queue.due.clear()
  }

  #onNotice(notice: MessageNotice): void {
    if (notice.change === 'update') return
    const urgency = URGENCIES.indexOf(notice.message.urgency)
    for (const queue of this.#queues.values()) {
      if (urgency < URGENCIES.indexOf(queue.webhook.least)) continue
      if (notice.change === 'new' && !queue.fold.admits(notice.message.urgency)) continue
      this.#deliver(queue, notice)
    }
  }

  #deliver(queue: Queue, { message, repeat }: MessageNotice): void {
    const { clock, random, store } = this.#parts
    const now = clock.now()
    const delivery: WebhookDelivery = {
      ...{ id: randomId(random, ID_LENGTH), webhook: queue.webhook.id, message: message.id },
      ...{ notice: { message, repeat }, state: 'waiting', attempts: 0, createdAt: now, at: now, error: null },
    }
    this.#guard(() => {
      store.put(delivery)
      store.prune(DELIVERIES_MAX)
    })
    this.#makeRoom(queue)
    this.#enqueue(queue, delivery)
  }

  /** Gives up the oldest delivery that is no alarm, if too many wait. */
  #makeRoom({ waiting, due, running }: Queue): void {
    if (waiting.size < DELIVERIES_WAITING_MAX) return
    for (const delivery of waiting.values()) {
      if (delivery.notice.message.urgency === 'alarm' || running.has(delivery.id)) continue
      waiting.delete(delivery.id)
      due.delete(delivery.id)
      this.#guard(() => this.#parts.store.put({ ...delivery, state: 'failed', error: 'too many messages waited' }))
      return
    }
  }

  #enqueue(queue: Queue, delivery: WebhookDelivery): void {
    const { clock } = this.#parts
    queue.waiting.set(delivery.id, delivery)
    queue.due.set(delivery.id, clock.monotonic() + Math.min(DAY_MS, Math.max(0, delivery.at - clock.now())))
    this.#schedule(queue)
  }

  /** Starts due attempts, alarms first, and waits for the next one. */
  #schedule(queue: Queue): void {
    queue.cancel?.()
    queue.cancel = null
    const now = this.#parts.clock.monotonic()
    const idle = [...queue.waiting.values()].filter(({ id }) => !queue.running.has(id))
    const due = idle.filter(({ id }) => (queue.due.get(id) ?? 0) <= now).toSorted(alarmsFirst)
    for (const delivery of due.slice(0, Math.max(0, DELIVERIES_AT_ONCE - queue.running.size)))
      void this.#attempt(queue, delivery)
    const next = Math.min(...idle.flatMap(({ id }) => (queue.running.has(id) ? [] : [queue.due.get(id) ?? now])))
    if (next > now && next !== Infinity) queue.cancel = this.#parts.clock.after(next - now, () => this.#schedule(queue))
  }

  async #attempt(queue: Queue, delivery: WebhookDelivery): Promise<void> {
    const { store, clock } = this.#parts
    queue.running.add(delivery.id)
    // A message that was acknowledged while it waited is not delivered.
    const isOver = (this.#parts.messages.get(delivery.message)?.acknowledgedAt ?? null) !== null
    const result = isOver ? null : await this.#send(queue.webhook, delivery.notice)
    queue.running.delete(delivery.id)
    // The webhook was removed, or the gateway stops: then the delivery waits for the next start.
    if (!queue.waiting.has(delivery.id)) return
    if (result === null) {
      this.#forget(queue, delivery)
      this.#guard(() => store.drop(delivery.id))
    } else {
      const next = afterAttempt(delivery, result, clock.now())
      this.#guard(() => store.put(next))
      this.#forget(queue, delivery)
      if (next.state === 'waiting') this.#enqueue(queue, next)
    }
    this.#schedule(queue)
  }

  #forget({ waiting, due }: Queue, { id }: WebhookDelivery): void {
    waiting.delete(id)
    due.delete(id)
  }

  async #send(webhook: Webhook, notice: WebhookDelivery['notice']): Promise<PostResult> {
    const { post, from, clock, log } = this.#parts
    const result = await post(webhookRequest(webhook, notice, from(), clock.now()))
    if (!isDelivered(result))
      log.debug({ webhook: webhook.id, host: new URL(webhook.url).host, ...result }, 'A webhook took no message.')
    return result
  }

  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A delivery could not be stored. It is sent anyway.')
    }
  }
}

const TOO_MANY = `There can be at most ${WEBHOOKS_MAX} webhooks: remove one first.`

/** Problem of an address as one sentence, or null. */
function urlProblem(text: string): string | null {
  if (!URL.canParse(text) || text.length > WEBHOOK_URL_MAX) return 'url: is no address such as https://ntfy.sh/my-home.'
  const { protocol, username, password, hostname } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'url: must begin with https:// or http://.'
  if (isRefusedHost(hostname)) return 'url: must not be an address of this machine, or of no single machine.'
  return username === '' && password === '' ? null : 'url: may not contain a user name or password.'
}

export function isDelivered(result: PostResult): boolean {
  return result.kind === 'answered' && result.status >= HTTP_OK.least && result.status <= HTTP_OK.most
}

/** Reason why a request was no delivery, as the end of a sentence. */
export function failureOf(result: PostResult): string {
  return result.kind === 'failed' ? result.reason : `it answered ${result.status}`
}

/** A delivery after an attempt. It fails once its next attempt would come after its life. */
function afterAttempt(delivery: WebhookDelivery, result: PostResult, now: number): WebhookDelivery {
  const attempts = delivery.attempts + 1
  if (isDelivered(result)) return { ...delivery, attempts, at: now, state: 'delivered', error: null }
  const wait = DELIVERY_RETRY_MS[Math.min(attempts, DELIVERY_RETRY_MS.length) - 1] ?? 0
  const life = delivery.notice.message.urgency === 'alarm' ? ALARM_LIFE_MS : DELIVERY_LIFE_MS
  const error = failureOf(result)
  return now + wait - delivery.createdAt > life
    ? { ...delivery, attempts, at: now, state: 'failed', error }
    : { ...delivery, attempts, at: now + wait, error }
}

function alarmsFirst(one: WebhookDelivery, other: WebhookDelivery): number {
  const rank = ({ notice }: WebhookDelivery): number => (notice.message.urgency === 'alarm' ? 0 : 1)
  return rank(one) - rank(other)
}
