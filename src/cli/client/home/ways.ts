import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, HmError, TrustError } from '@hm-gateway/client/src/error.ts'
import { type Client, connect } from '@hm-gateway/client/src/node.ts'
import type { Profile } from './profile.ts'

/** A route to the gateway. */
export interface Way {
  readonly kind: 'home' | 'relay'
  /** `https://host:port`. */
  readonly address: string
  readonly client: () => Promise<Client>
}

/** A reached gateway with its first answer. */
export interface Reached<T> {
  readonly way: Way
  readonly client: Client
  readonly answer: T
}

/** First request, sent over each route until one answers. */
export type FirstRead<T> = (client: Client, options: { readonly signal: AbortSignal }, way: Way) => Promise<T>

/** Delay before the next address is tried too. */
const NEXT_AFTER_MS = 200
/** Delay before the relay is tried too, so that requests stay at home where possible. */
const RELAY_AFTER_MS = 1_500
const WAIT_MAX_MS = 15_000

/** All routes to the gateway of a profile, in the order of trying. */
export function waysTo(profile: Profile): readonly Way[] {
  const { addresses, token, relay } = profile
  const trust = trustOf(profile)
  const home = addresses.map((address): Way => ({
    kind: 'home',
    address,
    client: () => connect({ url: address, token, ...trust }),
  }))
  if (relay === null) return home
  const { url, ca: relayCa, endToEnd } = relay
  const outside = endToEnd
    ? () => connect({ url: addresses, token, ...trust }, { through: new URL(url).host })
    : () => connect({ url, token, ...(relayCa === null ? {} : { ca: relayCa }) })
  return [...home, { kind: 'relay', address: url, client: outside }]
}

/**
 * Sends the request over the routes with short delays, and takes the first answer.
 * @throws HmError for a refusal, TrustError for another CA if no route works, ConnectionError if no route answers
 */
export async function reached<T>(ways: readonly Way[], read: FirstRead<T>): Promise<Reached<T>> {
  const ending = new AbortController()
  const late = setTimeout(() => ending.abort(unanswered(ways)), WAIT_MAX_MS)
  try {
    return await firstOf(ways, async (way) => {
      const client = await Promise.race([way.client(), aborted(ending.signal)])
      return { way, client, answer: await read(client, { signal: ending.signal }, way) }
    })
  } finally {
    clearTimeout(late)
    // The other attempts are cancelled.
    ending.abort()
  }
}

/** A client for following: it uses this route first, then the other addresses of the home. */
export function following(profile: Profile, way: Way): Promise<Client> {
  if (way.kind === 'relay') return way.client()
  const others = profile.addresses.filter((address) => address !== way.address)
  return connect({ url: [way.address, ...others], token: profile.token, ...trustOf(profile) })
}

const trustOf = ({ fingerprint, ca }: Profile): { readonly ca: string } | { readonly fingerprint: string } =>
  ca === null ? { fingerprint } : { ca }

/** Races the routes; each starts when those before it have failed or taken their time. */
async function firstOf<R>(ways: readonly Way[], attempt: (way: Way) => Promise<R>): Promise<R> {
  const failures: Error[] = []
  const running = new Map<Way, Promise<Attempt<R>>>()
  for (const [at, way] of ways.entries()) {
    running.set(way, settled(way, attempt))
    const next = ways[at + 1]
    // After the last route there is no further delay.
    const turn = next ? [due(next.kind === 'relay' ? RELAY_AFTER_MS : NEXT_AFTER_MS)] : []
    while (running.size > 0) {
      const first = await Promise.race([...running.values(), ...turn])
      if (first === DUE) break
      if ('answer' in first) return first.answer
      // A refusal by the gateway itself is the same at every address.
      if (first.way.kind === 'home' && first.error instanceof HmError) throw first.error
      failures.push(first.error)
      running.delete(first.way)
    }
  }
  throw mostInformative(failures)
}

type Attempt<R> = { readonly answer: R } | { readonly way: Way; readonly error: Error }

async function settled<R>(way: Way, attempt: (way: Way) => Promise<R>): Promise<Attempt<R>> {
  try {
    return { answer: await attempt(way) }
  } catch (error) {
    return { way, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

const DUE = Symbol('due')
const due = (ms: number): Promise<typeof DUE> => pause(ms, DUE, { ref: false })

/** The most informative failure. */
function mostInformative(failures: readonly Error[]): Error {
  const kinds = [TrustError, HmError, ConnectionError]
  const found = kinds.map((kind) => failures.find((failure) => failure instanceof kind))
  return found.find((failure) => failure !== undefined) ?? failures[0] ?? new Error('There is no route to the gateway.')
}

function unanswered(ways: readonly Way[]): ConnectionError {
  const where = ways.map(({ address }) => address).join(', ')
  return new ConnectionError(`No gateway answered at ${where} within ${WAIT_MAX_MS / 1000} s.`, { isSent: false })
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}
