import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type AdapterFactory, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { TABLES } from '../store/store.ts'
import { AUTH_METHODS, type ClientMetadata, SCOPES, supportedMetadata } from './client-metadata.ts'
import { settle } from './clients.ts'
import { audienceOf, resourceOf, SCOPE } from './protected-resources.ts'
import { DOCUMENT_BYTES_MAX, type MetadataDocuments } from './metadata-documents.ts'
import type { RegisteredClients } from './registered-clients.ts'

/** Lifetime of a code. */
export const CODE_SECONDS = 60
const FLOW_SECONDS = TABLES.flows / 1_000
/** Lifetime of a fetched metadata document. */
const DOCUMENT_CACHE_SECONDS = { min: 300, max: 86_400 }

export interface ConfigurationParts {
  readonly origin: string
  readonly adapter: AdapterFactory
  readonly clients: RegisteredClients
  readonly documents: MetadataDocuments
  /** Accepts clients with a metadata document. */
  readonly metadataDocuments: boolean
  readonly peerOf: (request: IncomingMessage) => string
  /** Responds with an HTML page. */
  readonly errorPage: (ctx: KoaContextWithOIDC, sentence: string) => void
}

/** Path of an authorization's page; the engine's cookie is limited to it. */
export const interactionPath = (id: string): string => `/connect/${id}`

/** Configures the engine for authorization codes with PKCE and nothing else. */
export function configurationOf(parts: ConfigurationParts): Configuration {
  return {
    ...protocol(parts),
    features: featuresOf(parts),
    adapter: parts.adapter,
    interactions: { url: (_ctx, interaction) => interactionPath(interaction.uid) },
    // Each authorization needs its own approval: an earlier grant is never used again.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    expiresWithSession: () => false,
    renderError: (ctx, out) => parts.errorPage(ctx, out.error_description ?? out.error),
    fetch: parts.documents.fetch,
    fetchResponseBodyLimits: { 'client_id metadata document': DOCUMENT_BYTES_MAX },
    ttl: {
      AuthorizationCode: CODE_SECONDS,
      Grant: FLOW_SECONDS,
      Interaction: FLOW_SECONDS,
      Session: FLOW_SECONDS,
    },
  }
}

function protocol({ origin }: ConfigurationParts): Configuration {
  const secure = { httpOnly: true, sameSite: 'lax', secure: origin.startsWith('https:') } as const
  return {
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...AUTH_METHODS],
    // The default tolerance would extend a code's lifetime by 15 s.
    clockTolerance: 0,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_modes: ['query'],
    },
    // Clients are servers and programs, never pages of other origins.
    clientBasedCORS: () => false,
    cookies: {
      names: { session: '__Host-engine', interaction: '__Secure-connect', resume: '__Secure-resume' },
      long: secure,
      short: secure,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    extraClientMetadata: {
      properties: ['settled'],
      validator: (_ctx, _key, _value, metadata) => settle(metadata, SCOPES),
    },
    jwks: { keys: [unusedKey()] },
    pkce: { required: () => true },
    responseTypes: ['code'],
    routes: {
      authorization: '/authorize',
      jwks: '/jwks',
      registration: '/register',
      revocation: '/revoke',
      token: '/token',
    },
    scopes: [...SCOPES],
  }
}

function featuresOf(parts: ConfigurationParts): Configuration['features'] {
  const { origin, documents, metadataDocuments, peerOf } = parts
  return {
    clientIdMetadataDocument: {
      enabled: metadataDocuments,
      ack: 'draft-02',
      allowFetch: (ctx, clientId) => documents.mayFetch(clientId, peerOf(ctx.req)),
      cacheDuration: DOCUMENT_CACHE_SECONDS,
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: registrationOf(parts.clients),
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resourceOf(origin, 'mcp'),
      getResourceServerInfo: (_ctx, resource) => {
        if (audienceOf(origin, resource) === null)
          throw new errors.InvalidTarget(`This relay serves only ${resourceOf(origin, 'mcp')} and paths below it.`)
        return { scope: SCOPE, accessTokenFormat: 'opaque' }
      },
      useGrantedResource: () => true,
    },
    // The gateway checks the owner of a token, because the relay stores no tokens.
    revocation: { enabled: true, allowedPolicy: () => true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  }
}

/**
 * Reduces the metadata to its supported part when the engine asks for the client's id, before it reads the metadata.
 */
function registrationOf(clients: RegisteredClients): NonNullable<Configuration['features']>['registration'] {
  return {
    enabled: true,
    issueRegistrationAccessToken: false,
    idFactory: (ctx) => {
      const { body = {} } = ctx.oidc
      const metadata = checkedMetadata(body)
      const id = clients.idOf(metadata)
      for (const member of Object.keys(body)) delete body[member]
      Object.assign(body, metadata, { client_id: id })
      return id
    },
    secretFactory: (ctx) => clients.secretOf(String(ctx.oidc.body?.['client_id'])),
  }
}

function checkedMetadata(body: object): ClientMetadata {
  const metadata = supportedMetadata(body)
  if ('error' in metadata) throw new errors.CustomOIDCProviderError(metadata.error, metadata.message)
  return metadata
}

/** The engine requires a signing key but never uses it, because there are no ID tokens. */
function unusedKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}
