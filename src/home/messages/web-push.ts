import { ECDH, timingSafeEqual } from 'node:crypto'
import type { Post, PostResult } from '../../lib/checked-post.ts'
import { isRefusedHost } from '../../lib/checked-request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { MessageDelivery } from '../model/deliveries.ts'
import { type ActivityDraft, type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import type { MessageNotice } from '../model/messages.ts'
import { PUSH_ENDPOINT_MAX, PUSH_MAX, PUSH_PER_PERSON_MAX, type PushSubscription } from '../model/push.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { PushStore } from '../ports/push-store.ts'
import type { DeliveryStore } from '../ports/webhook-store.ts'
import { type Attempt, attemptOf, Deliveries, type OutgoingNotice } from './deliveries.ts'
import type { MessageBoard } from './messages.ts'
import { AUTH_BYTES, CURVE, keyPair, messageKeys, POINT_BYTES, PRIVATE_KEY_BYTES } from './push-encryption.ts'
import { pushRequest } from './push-request.ts'

const ID_LENGTH = 10
/** Answers of push services. */
const ENDED = [404, 410]
const TOO_MANY_REQUESTS = 429
const SENSELESS = [400, 413]

interface WebPushParts {
  readonly store: PushStore
  readonly deliveries: DeliveryStore
  readonly work: UnitOfWork
  readonly messages: Pick<MessageBoard, 'notices' | 'get'>
  /** Name of the home. */
  readonly home: () => string
  readonly post: (post: Post) => Promise<PostResult>
  /** True while its person has access, and somebody ended neither it nor its session. */
  readonly isLive: (subscription: PushSubscription) => boolean
  /** Notes that somebody ended a subscription, so that no restored backup revives it. */
  readonly ended: (id: string) => void
  /** True if a person gets a message. */
  readonly sees: (person: string, notice: Pick<MessageNotice, 'message' | 'isLast'>) => boolean
  /** Entry about administration. */
  readonly entry: (what: string, cause: Cause) => ActivityDraft
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Address and keys of a browser. */
export type PushAddress = Pick<PushSubscription, 'endpoint' | 'p256dh' | 'auth'>

/** Messages to browsers by their push services (docs/messages.md#web-push). Each subscription is a channel. */
export class WebPush {
  readonly #parts: WebPushParts
  readonly #deliveries: Deliveries
  readonly #open = new Set<string>()
  /** Subscriptions whose push service refused the form of a message; the log has it once. */
  readonly #reported = new Set<string>()

  constructor(parts: WebPushParts) {
    this.#parts = parts
    this.#deliveries = new Deliveries({ ...parts, store: parts.deliveries })
    this.recheck()
  }

  /** Continues deliveries from before a stop. Subscriptions of a restored backup may have ended since. */
  start(): void {
    const { store, work, isLive } = this.#parts
    const ended = store.list().filter((subscription) => !isLive(subscription))
    if (ended.length > 0) this.#guard(() => work.change(() => ended.forEach(({ id }) => store.remove(id))))
    this.#deliveries.start()
  }

  stop(): void {
    this.#deliveries.stop()
  }

  /** Opens and closes channels after a change of subscriptions, persons or sessions. */
  recheck(): void {
    const live = this.list()
    for (const id of this.#open)
      if (live.every((subscription) => subscription.id !== id)) {
        this.#deliveries.close(id)
        this.#open.delete(id)
      }
    for (const subscription of live) if (!this.#open.has(subscription.id)) this.#openChannel(subscription)
  }

  list(): readonly PushSubscription[] {
    return this.#parts.store.list().filter((subscription) => this.#parts.isLive(subscription))
  }

  /** Newest deliveries of a subscription, newest first. */
  deliveriesOf(id: string, limit: number): readonly MessageDelivery[] {
    return this.#deliveries.newestOf(id, limit)
  }

  /** Public key of the home, with which browsers subscribe; made at its first use. @throws StorageUnavailable */
  publicKey(): string {
    return this.#keys().getPublicKey().toString('base64url')
  }

  /** Adds a browser, or replaces its earlier subscription. The error is one sentence. @throws StorageUnavailable */
  subscribe(
    wanted: PushAddress & Pick<PushSubscription, 'person' | 'session' | 'browser' | 'names'>,
    cause: Cause,
  ): Result<PushSubscription, string> {
    const { store, work, entry, random, clock } = this.#parts
    const { endpoint, person, session } = wanted
    const replaced = store.list().filter((other) => other.endpoint === endpoint || other.session === session)
    const others = this.list().filter((other) => !replaced.includes(other))
    const problem = addressProblem(wanted) ?? tooMany(others, person)
    if (problem !== null) return fail(problem)
    const same = replaced.find((other) => other.endpoint === endpoint && other.person === person)
    const fresh = { id: randomId(random, ID_LENGTH), createdAt: clock.now() }
    const { id, createdAt } = same ?? fresh
    const subscription: PushSubscription = { ...wanted, id, createdAt }
    work.change((record) => {
      for (const other of replaced) store.remove(other.id)
      store.insert(subscription)
      if (!same) record(entry(`a browser gets messages by ${hostOf(subscription)}`, cause))
    })
    this.recheck()
    return ok(subscription)
  }

  /**
   * Replaces the address of a browser that shows the secret of its earlier one, also after its session expired. False
   * if it is unknown, or if the new address is another person's.
   */
  renew(old: Pick<PushSubscription, 'endpoint' | 'auth'>, address: PushAddress, cause: Cause): boolean {
    const known = this.list().find(({ endpoint }) => endpoint === old.endpoint)
    if (known?.auth.length !== old.auth.length || !timingSafeEqual(known.auth, old.auth)) return false
    const isTaken = ({ endpoint, person }: PushSubscription): boolean =>
      endpoint === address.endpoint && person !== known.person
    if (this.list().some(isTaken)) return false
    return this.subscribe({ ...known, ...address }, cause).ok
  }

  /** Removes a subscription with its waiting deliveries; false if there is none. @throws StorageUnavailable */
  remove(id: string, cause: Cause): boolean {
    const { store, work, entry, ended } = this.#parts
    const subscription = store.get(id)
    if (subscription === undefined) return false
    work.change((record) => {
      store.remove(id)
      record(entry(`a browser gets no more messages by ${hostOf(subscription)}`, cause))
    })
    ended(id)
    this.recheck()
    return true
  }

  /** Sends a test message at once; null if there is no such subscription. */
  test(id: string): Promise<Attempt | null> {
    return this.#deliveries.test(id)
  }

  #openChannel({ id, person }: PushSubscription): void {
    this.#open.add(id)
    this.#deliveries.open({
      id,
      takes: (notice) => this.#parts.sees(person, notice),
      send: (sent) => this.#send(id, sent),
    })
  }

  async #send(id: string, sent: OutgoingNotice): Promise<Attempt> {
    const { store, post, home, clock, random, log } = this.#parts
    const subscription = store.get(id)
    if (subscription === undefined) return { kind: 'refused', reason: 'it has ended' }
    const sender = { ecdh: this.#keys(), home: home(), now: clock.now() }
    const result = await post(pushRequest(subscription, sent, sender, messageKeys(random)))
    const attempt = attemptOf(result)
    if (attempt.kind === 'delivered') return attempt
    log.debug({ push: id, host: hostOf(subscription), ...result }, 'A push service took no message.')
    return result.kind === 'answered' ? this.#refusedBy(subscription, result, attempt) : attempt
  }

  /** Consequence of an answer that is no delivery. */
  #refusedBy(
    subscription: PushSubscription,
    { status, retryAfter }: Extract<PostResult, { kind: 'answered' }>,
    attempt: Attempt,
  ): Attempt {
    const { id } = subscription
    if (ENDED.includes(status)) {
      this.#guard(() => this.remove(id, GATEWAY_CAUSE))
      return { kind: 'refused', reason: 'its browser no longer gets messages' }
    }
    if (SENSELESS.includes(status)) {
      if (!this.#reported.has(id))
        this.#parts.log.warn({ push: id, host: hostOf(subscription), status }, 'A push service refused a message.')
      this.#reported.add(id)
      return { kind: 'refused', reason: `it answered ${status}` }
    }
    if (status !== TOO_MANY_REQUESTS || attempt.kind !== 'failed') return attempt
    return { ...attempt, waitMs: waitOf(retryAfter ?? '', this.#parts.clock.now()) }
  }

  #keys(): ECDH {
    const { store, work, random } = this.#parts
    const stored = store.privateKey()
    if (stored !== null) return keyPair(stored)
    const fresh = random.bytes(PRIVATE_KEY_BYTES)
    const ecdh = keyPair(fresh)
    work.change(() => store.setPrivateKey(fresh))
    return ecdh
  }

  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'The end of a push subscription could not be stored.')
    }
  }
}

/** Host of its push service: the rest of the address is a secret. */
export const hostOf = ({ endpoint }: Pick<PushSubscription, 'endpoint'>): string => new URL(endpoint).host

function tooMany(others: readonly PushSubscription[], person: string): string | null {
  if (others.filter((other) => other.person === person).length >= PUSH_PER_PERSON_MAX)
    return `Messages reach at most ${PUSH_PER_PERSON_MAX} devices of a person: remove one first.`
  return others.length < PUSH_MAX ? null : `Messages reach at most ${PUSH_MAX} devices of a home: remove one first.`
}

/** Problem of an address as one sentence, or null. */
function addressProblem({ endpoint, p256dh, auth }: PushAddress): string | null {
  if (!URL.canParse(endpoint) || endpoint.length > PUSH_ENDPOINT_MAX) return 'endpoint: is no address.'
  const { protocol, username, password, hostname } = new URL(endpoint)
  if (protocol !== 'https:' || username !== '' || password !== '')
    return 'endpoint: must begin with https://, without a user name or password.'
  if (isRefusedHost(hostname, true)) return 'endpoint: must be the public address of a push service.'
  if (!isPoint(p256dh)) return 'p256dh: is no public key of the curve P-256.'
  return auth.length === AUTH_BYTES ? null : `auth: must have ${AUTH_BYTES} bytes.`
}

function isPoint(key: Buffer): boolean {
  try {
    return key.length === POINT_BYTES && ECDH.convertKey(key, CURVE).length === POINT_BYTES
  } catch {
    return false
  }
}

/** Wait of a Retry-After header in ms: seconds, or a date. */
function waitOf(retryAfter: string, now: number): number {
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isFinite(wait) ? Math.max(0, wait) : 0
}
