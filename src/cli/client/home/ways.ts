import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, HmError, TrustError } from '@hm-gateway/client/src/error.ts'
import { type Client, connect } from '@hm-gateway/client/src/node.ts'
import type { Profile } from './profile.ts'

/** One way to the gateway. */
export interface Way {
  readonly kind: 'home' | 'relay'
  /** `https://host:port`. */
  readonly address: string
  readonly client: () => Promise<Client>
}

/** A gateway that has answered. */
export interface Reached<T> {
  readonly way: Way
  readonly client: Client
  readonly answer: T
}

/** What is asked first, over each way until one has answered. */
export type FirstRead<T> = (client: Client, options: { readonly signal: AbortSignal }, way: Way) => Promise<T>

/** An address that has not answered by then no longer holds up the next. */
const NEXT_AFTER_MS = 200
/** The relay is asked when the home has had this long: what need not leave the home does not. */
const RELAY_AFTER_MS = 1_500
const WAIT_MAX_MS = 15_000

/** Every way to the gateway of a profile, in the order in which they are tried. */
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
 * Asks over the ways of a profile, one soon after the other, and takes the first answer.
 * @throws HmError for a refusal, TrustError where another CA answers and no way leads further, ConnectionError where
 * none does
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
    // What has lost is not waited for.
    ending.abort()
  }
}

/** The same way first, then the others of the home: for what is followed for long, over changes of address. */
export function following(profile: Profile, way: Way): Promise<Client> {
  if (way.kind === 'relay') return way.client()
  const others = profile.addresses.filter((address) => address !== way.address)
  return connect({ url: [way.address, ...others], token: profile.token, ...trustOf(profile) })
}

const trustOf = ({ fingerprint, ca }: Profile): { readonly ca: string } | { readonly fingerprint: string } =>
  ca === null ? { fingerprint } : { ca }

/** The first answer over any of the ways; each begins when those before it have failed or taken their time. */
async function firstOf<R>(ways: readonly Way[], attempt: (way: Way) => Promise<R>): Promise<R> {
  const failures: Error[] = []
  const running = new Map<Way, Promise<Tried<R>>>()
  for (const [at, way] of ways.entries()) {
    running.set(way, tried(way, attempt))
    const next = ways[at + 1]
    // After the last way only answers are waited for.
    const turn = next ? [due(next.kind === 'relay' ? RELAY_AFTER_MS : NEXT_AFTER_MS)] : []
    while (running.size > 0) {
      const first = await Promise.race([...running.values(), ...turn])
      if (first === DUE) break
      if ('answer' in first) return first.answer
      // What the gateway itself refuses it refuses at every address.
      if (first.way.kind === 'home' && first.error instanceof HmError) throw first.error
      failures.push(first.error)
      running.delete(first.way)
    }
  }
  throw gravest(failures)
}

type Tried<R> = { readonly answer: R } | { readonly way: Way; readonly error: Error }

async function tried<R>(way: Way, attempt: (way: Way) => Promise<R>): Promise<Tried<R>> {
  try {
    return { answer: await attempt(way) }
  } catch (error) {
    return { way, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

const DUE = Symbol('due')
const due = (ms: number): Promise<typeof DUE> => pause(ms, DUE, { ref: false })

/** Which of the failures says most. */
function gravest(failures: readonly Error[]): Error {
  const kinds = [TrustError, HmError, ConnectionError]
  const found = kinds.map((kind) => failures.find((failure) => failure instanceof kind))
  return found.find((failure) => failure !== undefined) ?? failures[0] ?? new Error('There is no way to the gateway.')
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
