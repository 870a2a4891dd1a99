import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import { adaptersOver } from './adapter.ts'
import { tooManyWords } from './refusals.ts'
import { Approvals } from './approvals.ts'
import { SCOPES } from './client-metadata.ts'
import { configurationOf, interactionPath } from './configuration.ts'
import { SCOPE } from './protected-resources.ts'
import { registerGrants } from './grants.ts'
import { MetadataDocuments } from './metadata-documents.ts'
import { refusedMethod } from './methods.ts'
import { RegisteredClients } from './registered-clients.ts'
import type { RelayParts } from '../store/parts.ts'

/** Clients of new metadata that register from one address. */
export const REGISTRATIONS = { perSecond: 10 / 3_600, burst: 10 }
/** Clients of new metadata that register altogether, at this node. */
export const REGISTRATIONS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
/** Authorizations that one address begins: each is kept until it is over. */
export const AUTHORIZATIONS = { perSecond: 30 / 60, burst: 30 }

/** What is counted, and how the engine calls it in its events. */
const STEPS = { authorize: 'authorization', register: 'registration_create', token: 'grant' } as const

export interface OAuthParts extends RelayParts {
  readonly homes: Homes
  /** Asks for clients' metadata documents. */
  readonly fetch: typeof fetch
  /** Whether clients may be known by such documents: where the relay itself is public. */
  readonly metadataDocuments: boolean
  readonly peerOf: (request: IncomingMessage) => string
  readonly errorPage: (ctx: KoaContextWithOIDC, sentence: string) => void
}

/** The relay's authorization server: the engine with what the relay knows and refuses. */
export class OAuthServer {
  readonly approvals: Approvals
  readonly provider: Provider
  /** A client was approved or used what it was given: it is kept for longer. */
  readonly keepClient: (id: string) => Promise<void>
  readonly #host: string
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>

  constructor(parts: OAuthParts) {
    const { origin, store, homes, clock, log } = parts
    const clients = new RegisteredClients({ ...parts, waitToRegister: registrationWaits(parts) })
    const documents = new MetadataDocuments({ store, clock, fetch: parts.fetch })
    this.approvals = new Approvals({ store, homes, clock })
    this.keepClient = async (id) => {
      try {
        await clients.keep(id)
        await documents.keep(id)
      } catch (error) {
        log.warn({ err: error }, 'An OAuth client could not be kept for longer; its next use tries again.')
      }
    }
    const adapter = adaptersOver(store, homes, clients)
    this.provider = new Provider(origin, configurationOf({ ...parts, adapter, clients, documents }))
    registerGrants(this.provider, { origin, homes, approvals: this.approvals, keepClient: this.keepClient })
    // The engine's errors are answered by itself; what is no refusal of OAuth's is told here.
    this.provider.on('server_error', (ctx, error) =>
      log.error({ err: error, route: ctx.oidc?.route }, 'The OAuth engine failed at a request.'),
    )
    const engine: EventEmitter = this.provider
    engine.on('error', (error: unknown) => log.error({ err: error }, 'The OAuth engine failed.'))
    count(engine, parts.metrics)
    this.provider.use(limits(parts))
    this.provider.use(asOurs)
    this.provider.use(
      strangersStay(parts, async (id) => (await clients.isApproved(id)) || (await documents.isApproved(id))),
    )
    this.provider.use(ownMetadata)
    this.#host = new URL(origin).host
    this.#answer = this.provider.callback()
  }

  /** @param path of the request, which is owned here. */
  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (refusedMethod(path, request, response)) return
    // Every address that the engine writes is of the one origin, whatever name a client came by.
    request.headers.host = this.#host
    await this.#answer(request, response)
  }
}

type Step = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>

/** Seconds until the caller of the current request may register a client of new metadata, which is then counted. */
function registrationWaits({ clock, peerOf }: OAuthParts): () => number {
  const registrations = new AddressLimits(clock, { ...REGISTRATIONS, all: REGISTRATIONS_ALL })
  return () => {
    const request = Provider.ctx?.req
    return request === undefined ? 0 : registrations.take(peerOf(request))
  }
}

/** Bounds the authorizations that one address begins, since the store keeps each for a while. */
function limits({ clock, peerOf, errorPage }: OAuthParts): Step {
  const authorizations = new AddressLimits(clock, AUTHORIZATIONS)
  return async (ctx, next) => {
    const retryAfter = ctx.path === '/authorize' ? authorizations.take(peerOf(ctx.req)) : 0
    if (retryAfter === 0) return next()
    ctx.status = 429
    ctx.set('Retry-After', String(retryAfter))
    errorPage(ctx, tooManyWords(retryAfter))
  }
}

const PROMPTS: readonly string[] = ['none', 'login', 'consent']

/**
 * Reads an authorization request tolerantly: unknown scopes and prompts and empty parameters are dropped, since MCP
 * clients differ in what they send. A request without our scope asks for it all the same. The answer goes back by the
 * query: the engine's other ways would be pages with scripts, of its own.
 */
const asOurs: Step = async (ctx, next) => {
  if (ctx.path !== '/authorize') return next()
  const sent = Object.fromEntries(Object.entries(ctx.query).filter(([, value]) => value !== ''))
  const { scope = '', prompt = '', response_mode: mode = 'query', ...others } = sent
  const prompts = typeof prompt === 'string' ? known(prompt, PROMPTS) : prompt
  ctx.query = {
    ...others,
    scope: typeof scope === 'string' ? known(`${SCOPE} ${scope}`, SCOPES) : scope,
    ...(prompts === '' ? {} : { prompt: prompts }),
    ...(mode === 'query' ? {} : { response_mode: 'unsupported' }),
  }
  return next()
}

/** The known words of a list with spaces between them. */
const known = (words: string, all: readonly string[]): string =>
  all.filter((word) => words.split(' ').includes(word)).join(' ')

/**
 * Shows the mistakes in a request of a client that no home has approved, in the place of a redirect to an address that
 * anybody could have registered.
 */
function strangersStay({ origin, errorPage }: OAuthParts, isApproved: (client: string) => Promise<boolean>): Step {
  return async (ctx, next) => {
    await next()
    const target = ctx.path === '/authorize' ? ctx.res.getHeader('location') : undefined
    const location = typeof target === 'string' ? URL.parse(target, origin) : null
    if (location === null) return
    if (location.origin === origin && location.pathname.startsWith(interactionPath(''))) return
    const { client_id: client } = ctx.query
    // Without the store nobody is known.
    if (typeof client === 'string' && (await isApproved(client).catch(() => false))) return
    const answer = location.hash === '' ? location.searchParams : new URLSearchParams(location.hash.slice(1))
    ctx.remove('Location')
    ctx.status = answer.get('error') === 'temporarily_unavailable' ? 503 : 400
    errorPage(ctx, answer.get('error_description') ?? 'This request for access is not right.')
  }
}

/** Leaves out of the engine's metadata what belongs to OpenID Connect alone and is not offered here. */
const ownMetadata: Step = async (ctx, next) => {
  await next()
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object' || ctx.body === null) return
  ctx.body = {
    ...ctx.body,
    response_modes_supported: ['query'],
    scopes_supported: SCOPES,
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  }
}

/** What became of each step, as the engine says. */
function count(engine: EventEmitter, metrics: RelayParts['metrics']): void {
  for (const [step, name] of Object.entries(STEPS)) {
    engine.on(`${name}.success`, () => metrics.oauth.add({ step, outcome: 'success' }))
    engine.on(`${name}.error`, (_ctx, error: unknown) => metrics.oauth.add({ step, outcome: outcomeOf(error) }))
  }
}

/** RFC 6749's code, of which there are few. */
function outcomeOf(error: unknown): string {
  return error instanceof errors.OIDCProviderError ? error.error : 'internal'
}
