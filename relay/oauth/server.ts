import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { AddressLimits } from '../../src/lib/address-limits.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import type { Homes } from '../homes.ts'
import type { RelayMetrics } from '../metrics/metrics.ts'
import type { Store } from '../store/store.ts'
import { adaptersOver } from './adapter.ts'
import { Approvals } from './approvals.ts'
import { configurationOf } from './configuration.ts'
import { SCOPE } from './doors.ts'
import { registerGrants } from './grants.ts'
import { MetadataDocuments } from './metadata-documents.ts'
import { isEndpoint, refusedMethod, ROUTES } from './methods.ts'

/** Clients that register from one address. */
export const REGISTRATIONS = { perSecond: 10 / 3_600, burst: 10 }
/** Clients that register altogether, at this node. */
export const REGISTRATIONS_ALL = { perSecond: 1_000 / 86_400, burst: 1_000 }
/** Authorizations that one address begins: each is kept until it is over. */
export const AUTHORIZATIONS = { perSecond: 30 / 60, burst: 30 }

/** What is counted, and how the engine calls it in its events. */
const STEPS = { authorize: 'authorization', register: 'registration_create', token: 'grant' } as const

export interface OAuthParts {
  /** The relay's public origin: issuer, and beginning of every resource. */
  readonly origin: string
  readonly store: Store
  readonly homes: Homes
  readonly clock: Clock
  readonly log: Log
  readonly metrics: RelayMetrics
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
    const adapters = adaptersOver(store, homes, clock)
    const documents = new MetadataDocuments({ store, clock, fetch: parts.fetch })
    this.approvals = new Approvals({ store, homes, clock })
    this.keepClient = async (id) => {
      try {
        await adapters.keepClient(id)
        await documents.keep(id)
      } catch (error) {
        log.warn({ err: error }, 'An OAuth client could not be kept for longer; its next use tries again.')
      }
    }
    this.provider = new Provider(origin, configurationOf({ ...parts, adapters, documents }))
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
    this.provider.use(ownMetadata)
    this.#host = new URL(origin).host
    this.#answer = this.provider.callback()
  }

  /** Of every path that it owns. */
  get routes(): readonly string[] {
    return ROUTES
  }

  owns(path: string): boolean {
    return isEndpoint(path)
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

/**
 * Refuses who begins too much, since each that begins is kept in the store for a while: people with a page, programs in
 * OAuth's form.
 */
function limits({ clock, peerOf, errorPage }: OAuthParts): Step {
  const registrations = new AddressLimits(clock, { ...REGISTRATIONS, all: REGISTRATIONS_ALL })
  const authorizations = new AddressLimits(clock, AUTHORIZATIONS)
  const waitOf = (ctx: KoaContextWithOIDC): number => {
    if (ctx.path === '/authorize') return authorizations.take(peerOf(ctx.req))
    return ctx.path === '/register' && ctx.method === 'POST' ? registrations.take(peerOf(ctx.req)) : 0
  }
  return async (ctx, next) => {
    const retryAfter = waitOf(ctx)
    if (retryAfter === 0) return next()
    ctx.status = 429
    ctx.set('Retry-After', String(retryAfter))
    const sentence = `Too many requests from this address. Try again in ${retryAfter} seconds.`
    if (ctx.path === '/authorize') errorPage(ctx, sentence)
    else ctx.body = { error: 'temporarily_unavailable', error_description: sentence }
  }
}

/**
 * There is one scope: a client that names none, or only others, asks for it, since MCP clients differ in what they
 * send. There is one way back, by the query: the engine's others would be pages with scripts, of its own.
 */
const asOurs: Step = async (ctx, next) => {
  if (ctx.path !== '/authorize') return next()
  const { scope = '', response_mode: mode = 'query' } = ctx.query
  const scopes = typeof scope === 'string' && !scope.split(' ').includes(SCOPE) ? `${scope} ${SCOPE}`.trim() : scope
  ctx.query = { ...ctx.query, scope: scopes, ...(mode === 'query' ? {} : { response_mode: 'unsupported' }) }
  return next()
}

/** Leaves out of the engine's metadata what belongs to OpenID Connect alone and is not offered here. */
const ownMetadata: Step = async (ctx, next) => {
  await next()
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object' || ctx.body === null) return
  ctx.body = {
    ...ctx.body,
    response_modes_supported: ['query'],
    scopes_supported: [SCOPE, 'offline_access'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  }
}

/** What became of each step, as the engine says. */
function count(engine: EventEmitter, metrics: RelayMetrics): void {
  for (const [step, name] of Object.entries(STEPS)) {
    engine.on(`${name}.success`, () => metrics.oauth.add({ step, outcome: 'success' }))
    engine.on(`${name}.error`, (_ctx, error: unknown) => metrics.oauth.add({ step, outcome: outcomeOf(error) }))
  }
}

/** RFC 6749's code, of which there are few. */
function outcomeOf(error: unknown): string {
  return error instanceof errors.OIDCProviderError ? error.error : 'internal'
}
