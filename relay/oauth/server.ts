import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import { adaptersOver } from './engine-storage.ts'
import { tooManyWords } from './refusals.ts'
import { Approvals } from './approvals.ts'
import { SCOPES } from './client-metadata.ts'
import { configurationOf, interactionPath } from './configuration.ts'
import { SCOPE } from './protected-resources.ts'
import { registerGrants } from './grants.ts'
import { MetadataDocuments } from './metadata-documents.ts'
import { refusedMethod } from './methods.ts'
import { RegisteredClients } from './registered-clients.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Rate of registrations with new metadata from one address. */
export const REGISTRATIONS = { perSecond: 10 / 3_600, burst: 10 }
/** Rate of registrations with new metadata at this node. */
export const REGISTRATIONS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
/** Rate of new authorizations from one address; the store keeps each until it expires. */
export const AUTHORIZATIONS = { perSecond: 30 / 60, burst: 30 }

/** Labels of the metrics, with the names of the engine's events. */
const STEPS = { authorize: 'authorization', register: 'registration_create', token: 'grant' } as const

export interface OAuthParts extends RelayParts {
  readonly homes: Homes
  /** Fetches clients' metadata documents. */
  readonly fetch: typeof fetch
  /** Accepts clients with a metadata document. */
  readonly metadataDocuments: boolean
  readonly peerOf: (request: IncomingMessage) => string
  readonly errorPage: (ctx: KoaContextWithOIDC, sentence: string) => void
}

/** The relay's authorization server: the engine with the relay's limits, adapters and grants. */
export class OAuthServer {
  readonly approvals: Approvals
  readonly provider: Provider
  /** Extends the lifetime of a client that was approved or used its grant. */
  readonly keepClient: (id: string) => Promise<void>
  readonly #host: string
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>

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
        log.warn({ err: error }, 'The lifetime of an OAuth client could not be extended. Its next use tries again.')
      }
    }
    const adapter = adaptersOver(store, homes, clients)
    this.provider = new Provider(origin, configurationOf({ ...parts, adapter, clients, documents }))
    registerGrants(this.provider, { origin, homes, approvals: this.approvals, keepClient: this.keepClient })
    // The engine responds to errors itself. Unexpected ones are logged here.
    this.provider.on('server_error', (ctx, error) =>
      log.error({ err: error, route: ctx.oidc?.route }, 'The OAuth engine failed at a request.'),
    )
    const engine: EventEmitter = this.provider
    engine.on('error', (error: unknown) => log.error({ err: error }, 'The OAuth engine failed.'))
    countSteps(engine, parts.metrics)
    this.provider.use(limitAuthorizations(parts))
    this.provider.use(tolerateParameters)
    this.provider.use(
      keepErrorsOfStrangers(parts, async (id) => (await clients.isApproved(id)) || (await documents.isApproved(id))),
    )
    this.provider.use(ownMetadata)
    this.#host = new URL(origin).host
    this.#handle = this.provider.callback()
  }

  /** @param path one of `OAUTH_ROUTES`. */
  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (refusedMethod(path, request, response)) return
    // The engine builds its addresses from the Host header, which must be the relay's main name.
    request.headers.host = this.#host
    await this.#handle(request, response)
  }
}

type Step = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>

/** Seconds until the caller may register a client with new metadata; 0 counts the registration. */
function registrationWaits({ clock, peerOf }: OAuthParts): () => number {
  const registrations = new AddressLimits(clock, { ...REGISTRATIONS, all: REGISTRATIONS_ALL })
  return () => {
    const request = Provider.ctx?.req
    return request === undefined ? 0 : registrations.take(peerOf(request))
  }
}

/** Limits the authorizations that one address begins. */
function limitAuthorizations({ clock, peerOf, errorPage }: OAuthParts): Step {
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
 * Makes an authorization request fit the engine, since MCP clients differ in their parameters: drops unknown scopes,
 * prompts and empty parameters, and adds the scope of homes. Only the response mode `query` is allowed, because the
 * engine's other modes are its own pages with scripts.
 */
const tolerateParameters: Step = async (ctx, next) => {
  if (ctx.path !== '/authorize') return next()
  const sent = Object.fromEntries(Object.entries(ctx.query).filter(([, value]) => value !== ''))
  const { scope = '', prompt = '', response_mode: mode = 'query', ...rest } = sent
  const prompts = typeof prompt === 'string' ? knownWords(prompt, PROMPTS) : prompt
  ctx.query = {
    ...rest,
    scope: typeof scope === 'string' ? knownWords(`${SCOPE} ${scope}`, SCOPES) : scope,
    ...(prompts === '' ? {} : { prompt: prompts }),
    ...(mode === 'query' ? {} : { response_mode: 'unsupported' }),
  }
  return next()
}

/** Keeps the known words of a space-separated list. */
const knownWords = (words: string, all: readonly string[]): string =>
  all.filter((word) => words.split(' ').includes(word)).join(' ')

/**
 * Shows an error page for a client that no home has approved, instead of a redirect to an address that anyone may have
 * registered.
 */
function keepErrorsOfStrangers(
  { origin, errorPage }: OAuthParts,
  isApproved: (client: string) => Promise<boolean>,
): Step {
  return async (ctx, next) => {
    await next()
    const target = ctx.path === '/authorize' ? ctx.res.getHeader('location') : undefined
    const location = typeof target === 'string' ? URL.parse(target, origin) : null
    if (location === null) return
    if (location.origin === origin && location.pathname.startsWith(interactionPath(''))) return
    const { client_id: client } = ctx.query
    // While the store is unavailable, every client counts as unknown.
    if (typeof client === 'string' && (await isApproved(client).catch(() => false))) return
    const result = location.hash === '' ? location.searchParams : new URLSearchParams(location.hash.slice(1))
    ctx.remove('Location')
    ctx.status = result.get('error') === 'temporarily_unavailable' ? 503 : 400
    errorPage(ctx, result.get('error_description') ?? 'This request for access is not valid.')
  }
}

/** Removes features of OpenID Connect from the engine's metadata. */
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

/** Counts the outcome of each step. */
function countSteps(engine: EventEmitter, metrics: RelayParts['metrics']): void {
  for (const [step, name] of Object.entries(STEPS)) {
    engine.on(`${name}.success`, () => metrics.oauth.add({ step, outcome: 'success' }))
    engine.on(`${name}.error`, (_ctx, error: unknown) => metrics.oauth.add({ step, outcome: outcomeOf(error) }))
  }
}

/** Error code of RFC 6749, of which there are few. */
function outcomeOf(error: unknown): string {
  return error instanceof errors.OIDCProviderError ? error.error : 'internal'
}
