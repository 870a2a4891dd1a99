import type { PostResult } from '../../lib/checked-post.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/durations.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import {
  DELIVERIES_AT_ONCE,
  DELIVERIES_MAX,
  DELIVERIES_WAITING_MAX,
  type MessageDelivery,
  DELIVERY_RETRY_MS,
  deliveryLife,
} from '../model/deliveries.ts'
import type { MessageNotice } from '../model/messages.ts'
import type { DeliveryStore } from '../ports/webhook-store.ts'
import { Fold } from './fold.ts'
import { type MessageBoard, moreNotice, testNotice } from './messages.ts'

const ID_LENGTH = 10
const HTTP_OK = { least: 200, most: 299 } as const

/** Result of one attempt. `refused`: no further attempt can succeed. `reason` is the end of a sentence. */
export type Attempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string; readonly waitMs?: number }
  | { readonly kind: 'refused'; readonly reason: string }

/** A notice, and the time in ms for which it is worth delivering. */
export type OutgoingNotice = Pick<MessageNotice, 'message' | 'repeat'> & { readonly lifeMs: number }

/** A receiver of messages with a queue of its own. */
export interface Channel {
  readonly id: string
  /** True if it gets a notice. */
  readonly takes: (notice: Pick<MessageNotice, 'message' | 'isLast'>) => boolean
  readonly send: (sent: OutgoingNotice) => Promise<Attempt>
}

interface DeliveriesParts {
  readonly store: DeliveryStore
  readonly messages: Pick<MessageBoard, 'notices' | 'get'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The queue of one channel. */
interface Queue {
  readonly channel: Channel
  readonly fold: Fold
  /** Waiting deliveries by id, oldest first. */
  readonly waiting: Map<string, MessageDelivery>
  /** Monotonic time of the next attempt, by id. */
  readonly due: Map<string, number>
  readonly running: Set<string>
  cancel: (() => void) | null
}

/**
 * Deliveries of messages to channels. Each channel has a queue of its own, so that one that does not answer delays no
 * other. Deliveries are stored, and continue after a restart.
 */
export class Deliveries {
  readonly #parts: DeliveriesParts
  readonly #queues = new Map<string, Queue>()
  readonly #unsubscribe: () => void

  constructor(parts: DeliveriesParts) {
    this.#parts = parts
    this.#unsubscribe = parts.messages.notices.on((notice) => this.#onNotice(notice))
  }

  /** Continues deliveries from before a stop. */
  start(): void {
    for (const delivery of this.#parts.store.waiting()) {
      const queue = this.#queues.get(delivery.channel)
      if (queue) this.#enqueue(queue, delivery)
    }
  }

  stop(): void {
    this.#unsubscribe()
    for (const id of this.#queues.keys()) this.close(id)
  }

  /** Newest deliveries of a channel, newest first. */
  newestOf(id: string, limit: number): readonly MessageDelivery[] {
    return this.#parts.store.newestOf(id, limit)
  }

  open(channel: Channel): void {
    const more = (count: number): void => {
      const { clock, random } = this.#parts
      const queue = this.#queues.get(channel.id)
      if (queue) this.#deliver(queue, moreNotice(count, randomId(random, ID_LENGTH), clock.now()))
    }
    const fold = new Fold(this.#parts.clock, more)
    this.#queues.set(channel.id, {
      ...{ channel, fold, waiting: new Map(), due: new Map(), running: new Set(), cancel: null },
    })
  }

  /** Ends a channel; its running attempts are forgotten. */
  close(id: string): void {
    const queue = this.#queues.get(id)
    if (queue === undefined) return
    queue.fold.stop()
    queue.cancel?.()
    queue.waiting.clear()
    queue.due.clear()
    this.#queues.delete(id)
  }

  /** Sends a test message at once; null if there is no such channel. */
  async test(id: string): Promise<Attempt | null> {
    const { message, repeat } = testNotice(this.#parts.clock.now())
    const sent = { message, repeat, lifeMs: deliveryLife(message.urgency) }
    return this.#queues.get(id)?.channel.send(sent) ?? null
  }

  #onNotice(notice: MessageNotice): void {
    if (notice.change === 'update') return
    for (const queue of this.#queues.values()) {
      if (!queue.channel.takes(notice)) continue
      if (notice.change === 'new' && !queue.fold.admits(notice.message.urgency)) continue
      this.#deliver(queue, notice)
    }
  }

  #deliver(queue: Queue, { message, repeat }: MessageNotice): void {
    const { clock, random, store } = this.#parts
    const now = clock.now()
    const delivery: MessageDelivery = {
      ...{ id: randomId(random, ID_LENGTH), channel: queue.channel.id, message: message.id },
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

  #enqueue(queue: Queue, delivery: MessageDelivery): void {
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

  async #attempt(queue: Queue, delivery: MessageDelivery): Promise<void> {
    const { store, clock } = this.#parts
    queue.running.add(delivery.id)
    const attempt = await (this.#isOver(queue, delivery) ? null : this.#send(queue, delivery))
    queue.running.delete(delivery.id)
    // The channel was removed, or the gateway stops: then the delivery waits for the next start.
    if (!queue.waiting.has(delivery.id)) return
    if (attempt === null) {
      this.#forget(queue, delivery)
      this.#guard(() => store.drop(delivery.id))
    } else {
      const next = afterAttempt(delivery, attempt, clock.now())
      this.#guard(() => store.put(next))
      this.#forget(queue, delivery)
      if (next.state === 'waiting') this.#enqueue(queue, next)
    }
    this.#schedule(queue)
  }

  /** True if somebody acknowledged the message while it waited, or the channel may no longer get it. */
  #isOver({ channel }: Queue, { message: id, notice: { message } }: MessageDelivery): boolean {
    const acknowledgedAt = this.#parts.messages.get(id)?.acknowledgedAt ?? null
    return acknowledgedAt !== null || !channel.takes({ message, isLast: false })
  }

  async #send({ channel }: Queue, { notice, createdAt }: MessageDelivery): Promise<Attempt> {
    const { clock, log } = this.#parts
    const life = deliveryLife(notice.message.urgency)
    // A jump of the clock lengthens no life.
    const lifeMs = Math.min(life, Math.max(0, createdAt + life - clock.now()))
    try {
      return await channel.send({ ...notice, lifeMs })
    } catch (error) {
      log.error({ err: error, channel: channel.id }, 'The request with a message could not be made.')
      return { kind: 'refused', reason: 'its request could not be made' }
    }
  }

  #forget({ waiting, due }: Queue, { id }: MessageDelivery): void {
    waiting.delete(id)
    due.delete(id)
  }

  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A delivery could not be stored. It is sent anyway.')
    }
  }
}

/** Result of a request to a channel. Every status from 200 to 299 is a delivery. */
export function attemptOf(result: PostResult): Attempt {
  if (result.kind === 'failed') return { kind: 'failed', reason: result.reason }
  const { status } = result
  if (status >= HTTP_OK.least && status <= HTTP_OK.most) return { kind: 'delivered' }
  return { kind: 'failed', reason: `it answered ${status}` }
}

/** A delivery after an attempt. It fails once its next attempt would come after its life. */
function afterAttempt(delivery: MessageDelivery, attempt: Attempt, now: number): MessageDelivery {
  const attempts = delivery.attempts + 1
  if (attempt.kind === 'delivered') return { ...delivery, attempts, at: now, state: 'delivered', error: null }
  const error = attempt.reason
  if (attempt.kind === 'refused') return { ...delivery, attempts, at: now, state: 'failed', error }
  const usual = DELIVERY_RETRY_MS[Math.min(attempts, DELIVERY_RETRY_MS.length) - 1] ?? 0
  const wait = Math.max(usual, attempt.waitMs ?? 0)
  return now + wait - delivery.createdAt > deliveryLife(delivery.notice.message.urgency)
    ? { ...delivery, attempts, at: now, state: 'failed', error }
    : { ...delivery, attempts, at: now + wait, error }
}

function alarmsFirst(one: MessageDelivery, other: MessageDelivery): number {
  const rank = ({ notice }: MessageDelivery): number => (notice.message.urgency === 'alarm' ? 0 : 1)
  return rank(one) - rank(other)
}
