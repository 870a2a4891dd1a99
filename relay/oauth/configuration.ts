import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type AdapterFactory, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { TABLES } from '../store/store.ts'
import { AUTH_METHODS, type ClientMetadata, SCOPES, supportedMetadata } from './client-metadata.ts'
import { settle } from './clients.ts'
import { audienceOf, resourceOf, SCOPE } from './protected-resources.ts'
import { DOCUMENT_BYTES_MAX, type MetadataDocuments } from './metadata-documents.ts'
import type { RegisteredClients } from './registered-clients.ts'

/** Seconds from the approval until the code is redeemed. */
export const CODE_SECONDS = 60
const FLOW_SECONDS = TABLES.flows / 1_000
/** Seconds for which a client's document is taken as it was fetched. */
const DOCUMENT_KEPT_SECONDS = { min: 300, max: 86_400 }

export interface ConfigurationParts {
  readonly origin: string
  readonly adapter: AdapterFactory
  readonly clients: RegisteredClients
  readonly documents: MetadataDocuments
  /** Whether clients may be known by their metadata documents. */
  readonly metadataDocuments: boolean
  readonly peerOf: (request: IncomingMessage) => string
  /** The page of a mistake, as HTML. */
  readonly errorPage: (ctx: KoaContextWithOIDC, sentence: string) => void
}

/** The path of an authorization's page; the engine's cookie is for it alone. */
export const interactionPath = (id: string): string => `/connect/${id}`

/** What the engine is and is not: authorization codes with PKCE for public and registered clients, nothing else. */
export function configurationOf(parts: ConfigurationParts): Configuration {
  return {
    ...protocol(parts),
    features: featuresOf(parts),
    adapter: parts.adapter,
    interactions: { url: (_ctx, interaction) => interactionPath(interaction.uid) },
    // Only what was approved in this very authorization is a grant: an earlier one never approves again.
    loadExistingGrant: async (ctx) => {
      const granted = ctx.oidc.result?.consent?.grantId
      return granted === undefined ? undefined : ctx.oidc.provider.Grant.find(granted)
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
    // A code is good for its minute, not for a quarter more.
    clockTolerance: 0,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_modes: ['query'],
    },
    // No page of another origin takes part: agents' servers and programs do.
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
    jwks: { keys: [idleKey()] },
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
      cacheDuration: DOCUMENT_KEPT_SECONDS,
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
          throw new errors.InvalidTarget(`This relay serves ${resourceOf(origin, 'mcp')} and what is below it.`)
        return { scope: SCOPE, accessTokenFormat: 'opaque' }
      },
      useGrantedResource: () => true,
    },
    // The gateway knows whose a token is; the relay has none to compare with.
    revocation: { enabled: true, allowedPolicy: () => true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  }
}

/** The engine asks for an id before it reads the metadata, which is reduced here to what is supported. */
function registrationOf(clients: RegisteredClients): NonNullable<Configuration['features']>['registration'] {
  return {
    enabled: true,
    issueRegistrationAccessToken: false,
    idFactory: (ctx) => {
      const { body = {} } = ctx.oidc
      const metadata = registered(body)
      const id = clients.idOf(metadata)
      for (const member of Object.keys(body)) delete body[member]
      Object.assign(body, metadata, { client_id: id })
      return id
    },
    secretFactory: (ctx) => clients.secretOf(String(ctx.oidc.body?.['client_id'])),
  }
}

function registered(body: object): ClientMetadata {
  const metadata = supportedMetadata(body)
  if ('error' in metadata) throw new errors.CustomOIDCProviderError(metadata.error, metadata.message)
  return metadata
}

/** The engine wants a key to sign with. Nothing is signed by it: there are no ID tokens. */
function idleKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}
