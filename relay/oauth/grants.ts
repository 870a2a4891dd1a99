import { createHash } from 'node:crypto'
import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import type { Tokens, TokenRequest } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import { gatewayUnavailable, temporarilyUnavailable } from './refusals.ts'
import type { Approvals } from './approvals.ts'
import { SCOPES } from './client-metadata.ts'
import { audienceOf, SCOPE } from './protected-resources.ts'
import { gatewayOfToken } from './gateway-of-token.ts'

export interface GrantsParts {
  readonly origin: string
  readonly homes: Homes
  readonly approvals: Approvals
  /** Extends the lifetime of a client that used its grant. */
  readonly keepClient: (id: string) => Promise<void>
}

type Params = Readonly<Record<string, unknown>>
type Context = TokenEndpointGrantContext<Params>

/**
 * Replaces the engine's two grants: only gateways mint and check tokens (docs/decisions/sign-in.md#grants). The engine
 * does not document that its built-in grants may be replaced, so its version is pinned.
 */
export function registerGrants(provider: Provider, parts: GrantsParts): void {
  const register = (name: string, handle: (ctx: Context) => Promise<Tokens>, parameters: readonly string[]): void =>
    provider.registerGrantType<Params>(
      name,
      async (ctx) => {
        const tokens = await handle(ctx)
        await parts.keepClient(ctx.oidc.client.clientId)
        ctx.body = {
          access_token: tokens.access,
          token_type: 'Bearer',
          expires_in: tokens.expiresIn,
          scope: SCOPE,
          ...(ctx.oidc.client.grantTypeAllowed('refresh_token') ? { refresh_token: tokens.refresh } : {}),
        }
      },
      parameters,
    )
  register('authorization_code', (ctx) => redeem(parts, ctx), ['code', 'code_verifier', 'redirect_uri', 'resource'])
  register('refresh_token', (ctx) => refresh(parts, ctx), ['refresh_token', 'resource', 'scope'])
}

async function redeem(parts: GrantsParts, ctx: Context): Promise<Tokens> {
  const { params, client, provider } = ctx.oidc
  const verifier = textOf(params, 'code_verifier')
  // An expired code is read too, because its reuse must revoke the tokens.
  const code = await provider.AuthorizationCode.find(textOf(params, 'code'), { ignoreExpiration: true })
  if (code?.clientId !== client.clientId || code.grantId === undefined) throw new errors.InvalidGrant()
  // OAuth 2.1 makes `redirect_uri` optional here, since PKCE binds the code. A given address must be right.
  if (params['redirect_uri'] !== undefined && params['redirect_uri'] !== code.redirectUri)
    throw new errors.InvalidGrant()
  if (createHash('sha256').update(verifier).digest('base64url') !== code.codeChallenge) throw new errors.InvalidGrant()
  const audience = audienceOf(parts.origin, typeof code.resource === 'string' ? code.resource : '')
  checkResource(parts.origin, params, audience)
  const granted = await (code.isExpired ? parts.approvals.redeemed(code.grantId) : parts.approvals.redeem(code.grantId))
  if (granted === null) throw new errors.InvalidGrant()
  const redemption = { request: granted.request, verifier, client: client.clientId }
  if (!granted.isFirst) {
    // RFC 6749 section 4.1.2: reuse of a code revokes its tokens. An offline gateway keeps them.
    await parts.homes.revoke(granted.gateway, redemption)
    throw new errors.InvalidGrant()
  }
  try {
    return ownTokens(granted.gateway, audience, await tokensOf(parts, granted.gateway, redemption))
  } catch (error) {
    // Without a response the client may retry: the gateway redeems a request only once.
    if (!(error instanceof errors.InvalidGrant)) await parts.approvals.release(code.grantId)
    throw error
  }
}

async function refresh(parts: GrantsParts, ctx: Context): Promise<Tokens> {
  const { params, client } = ctx.oidc
  const token = textOf(params, 'refresh_token')
  const gateway = gatewayOfToken(token)
  if (gateway?.kind !== 'RefreshToken') throw new errors.InvalidGrant()
  checkScope(params['scope'])
  const audience = params['resource'] === undefined ? undefined : audienceOf(parts.origin, textOf(params, 'resource'))
  if (audience === null) throw new errors.InvalidTarget()
  // The gateway mints no token for an audience that was not granted.
  const renewal = {
    refresh: token,
    client: client.clientId,
    ...(audience === undefined ? {} : { door: audience }),
  }
  return ownTokens(gateway.gateway, audience ?? null, await tokensOf(parts, gateway.gateway, renewal))
}

async function tokensOf({ homes }: GrantsParts, gateway: string, request: TokenRequest): Promise<Tokens> {
  const tokens = await homes.tokens(gateway, request)
  if (tokens.ok) return tokens.value
  switch (tokens.error.kind) {
    case 'invalid_grant':
      throw new errors.InvalidGrant()
    case 'invalid_target':
      throw new errors.InvalidTarget()
    case 'slow_down':
      throw temporarilyUnavailable(
        'This agent refreshes its access too often. Wait and try again.',
        tokens.error.retryAfter,
      )
    default:
      throw gatewayUnavailable(tokens.error)
  }
}

/**
 * Checks that the tokens name their own gateway and, if known, the granted audience. The relay routes by the serial in
 * a token, so a hostile gateway could otherwise lead an agent to another home.
 */
function ownTokens(gateway: string, audience: string | null, tokens: Tokens): Tokens {
  const isOwn = [tokens.access, tokens.refresh].every((token) => gatewayOfToken(token)?.gateway === gateway)
  if (!isOwn || (audience !== null && tokens.door !== audience)) throw new errors.InvalidGrant()
  return tokens
}

/** RFC 6749 section 6: a refresh must not extend the scope. */
function checkScope(scope: unknown): void {
  if (scope === undefined || scope === '') return
  const scopes = typeof scope === 'string' ? scope.split(' ') : ['']
  const unknown = scopes.find((word) => !SCOPES.includes(word))
  if (unknown !== undefined) throw new errors.InvalidScope('the scope was not granted', unknown)
}

/** A given resource must be the granted one; a trailing slash is ignored. */
function checkResource(origin: string, params: Params, granted: string | null): void {
  if (params['resource'] === undefined) return
  const audience = audienceOf(origin, textOf(params, 'resource'))
  if (audience === null || audience !== granted) throw new errors.InvalidTarget()
}

function textOf(params: Params, name: string): string {
  const value = params[name]
  if (typeof value !== 'string' || value === '') throw new errors.InvalidRequest(`missing required parameter ${name}`)
  return value
}
