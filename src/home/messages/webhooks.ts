import type { Post, PostResult } from '../../lib/checked-post.ts'
import { isRefusedHost } from '../../lib/checked-request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { MessageDelivery } from '../model/deliveries.ts'
import type { ActivityDraft, Cause } from '../model/events.ts'
import { URGENCIES } from '../model/recipients.ts'
import { type Webhook, WEBHOOK_URL_MAX, WEBHOOKS_MAX } from '../model/webhooks.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { DeliveryStore, WebhookStore } from '../ports/webhook-store.ts'
import { type Attempt, attemptOf, Deliveries, type OutgoingNotice } from './deliveries.ts'
import type { MessageBoard } from './messages.ts'
import { type SendingHome, webhookRequest } from './webhook-request.ts'

const ID_LENGTH = 10
const SECRET_BYTES = 32

interface WebhooksParts {
  readonly store: WebhookStore
  readonly deliveries: DeliveryStore
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

/** Webhooks of administrators (docs/messages.md#webhooks). Each is a channel. */
export class Webhooks {
  readonly #parts: WebhooksParts
  readonly #deliveries: Deliveries
  readonly #webhooks = new Map<string, Webhook>()

  constructor(parts: WebhooksParts) {
    this.#parts = parts
    this.#deliveries = new Deliveries({ ...parts, store: parts.deliveries })
    for (const webhook of parts.store.list()) this.#open(webhook)
  }

  /** Continues deliveries from before a stop. */
  start(): void {
    this.#deliveries.start()
  }

  stop(): void {
    this.#deliveries.stop()
  }

  list(): readonly Webhook[] {
    return [...this.#webhooks.values()]
  }

  /** Newest deliveries of a webhook, newest first. */
  deliveriesOf(id: string, limit: number): readonly MessageDelivery[] {
    return this.#deliveries.newestOf(id, limit)
  }

  /** Adds a webhook; its secret is in the result only. The error is one sentence. */
  add(
    { name, url, format, least }: Pick<Webhook, 'name' | 'url' | 'format' | 'least'>,
    cause: Cause,
  ): Result<Webhook, string> {
    const { store, work, entry, random, clock } = this.#parts
    const problem = urlProblem(url) ?? (this.#webhooks.size < WEBHOOKS_MAX ? null : TOO_MANY)
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
    const webhook = this.#webhooks.get(id)
    if (webhook === undefined) return false
    work.change((record) => {
      store.remove(id)
      record(entry(`webhook “${webhook.name}” removed`, cause))
    })
    this.#deliveries.close(id)
    this.#webhooks.delete(id)
    return true
  }

  /** Sends a test message at once; null if there is no such webhook. */
  test(id: string): Promise<Attempt | null> {
    return this.#deliveries.test(id)
  }

  #open(webhook: Webhook): void {
    this.#webhooks.set(webhook.id, webhook)
    const least = URGENCIES.indexOf(webhook.least)
    this.#deliveries.open({
      id: webhook.id,
      takes: ({ message }) => URGENCIES.indexOf(message.urgency) >= least,
      send: (sent) => this.#send(webhook, sent),
    })
  }

  async #send(webhook: Webhook, sent: OutgoingNotice): Promise<Attempt> {
    const { post, from, clock, log } = this.#parts
    const result = await post(webhookRequest(webhook, sent, from(), clock.now()))
    const attempt = attemptOf(result)
    if (attempt.kind !== 'delivered')
      log.debug({ webhook: webhook.id, host: new URL(webhook.url).host, ...result }, 'A webhook took no message.')
    return attempt
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
