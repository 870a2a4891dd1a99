import { createHash } from 'node:crypto'
import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import type { Tokens, TokenRequest } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import { gatewayAway, later } from './refusals.ts'
import type { Approvals } from './approvals.ts'
import { SCOPES } from './client-metadata.ts'
import { audienceOf, SCOPE } from './protected-resources.ts'
import { gatewayOfToken } from './gateway-of-token.ts'

export interface GrantsParts {
  readonly origin: string
  readonly homes: Homes
  readonly approvals: Approvals
  /** A client used what it was given: it is kept for longer. */
  readonly keepClient: (id: string) => Promise<void>
}

type Given = Readonly<Record<string, unknown>>
type Context = TokenEndpointGrantContext<Given>

/**
 * Puts the two grants in place of the engine's own: both ask the gateway, which alone mints and checks
 * (docs/decisions/sign-in.md#grants). The engine's documents do not name this for built-in grants: its version is
 * pinned.
 */
export function registerGrants(provider: Provider, parts: GrantsParts): void {
  const register = (name: string, answer: (ctx: Context) => Promise<Tokens>, parameters: readonly string[]): void =>
    provider.registerGrantType<Given>(
      name,
      async (ctx) => {
        const tokens = await answer(ctx)
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
  // An expired code still ends the tokens that it was redeemed for.
  const code = await provider.AuthorizationCode.find(textOf(params, 'code'), { ignoreExpiration: true })
  if (code?.clientId !== client.clientId || code.grantId === undefined) throw new errors.InvalidGrant()
  // OAuth 2.1 leaves the address out here, since PKCE binds the code; one that is named has to be right.
  if (params['redirect_uri'] !== undefined && params['redirect_uri'] !== code.redirectUri)
    throw new errors.InvalidGrant()
  if (createHash('sha256').update(verifier).digest('base64url') !== code.codeChallenge) throw new errors.InvalidGrant()
  const door = audienceOf(parts.origin, typeof code.resource === 'string' ? code.resource : '')
  checkResource(parts.origin, params, door)
  const granted = await (code.isExpired ? parts.approvals.redeemed(code.grantId) : parts.approvals.redeem(code.grantId))
  if (granted === null) throw new errors.InvalidGrant()
  const ask = { request: granted.request, verifier, client: client.clientId }
  if (!granted.isFirst) {
    // RFC 6749 section 4.1.2: the tokens of a code that comes back end. A gateway that is away keeps them.
    await parts.homes.revoke(granted.gateway, ask)
    throw new errors.InvalidGrant()
  }
  try {
    return ownTokens(granted.gateway, door, await tokensOf(parts, granted.gateway, ask))
  } catch (error) {
    // Nobody answered: the gateway, which redeems a request once, decides when the client comes again.
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
  const door = params['resource'] === undefined ? undefined : audienceOf(parts.origin, textOf(params, 'resource'))
  if (door === null) throw new errors.InvalidTarget()
  // The gateway knows which door was granted, and mints nothing for another.
  const named = { refresh: token, client: client.clientId, ...(door === undefined ? {} : { door }) }
  return ownTokens(gateway.gateway, door ?? null, await tokensOf(parts, gateway.gateway, named))
}

async function tokensOf({ homes }: GrantsParts, gateway: string, ask: TokenRequest): Promise<Tokens> {
  const answer = await homes.tokens(gateway, ask)
  if (answer.ok) return answer.value
  switch (answer.error.kind) {
    case 'invalid_grant':
      throw new errors.InvalidGrant()
    case 'invalid_target':
      throw new errors.InvalidTarget()
    case 'slow_down':
      throw later('This agent refreshes its access too often. Wait and try again.', answer.error.retryAfter)
    default:
      throw gatewayAway(answer.error)
  }
}

/**
 * Passes tokens on only if they are of the gateway that was asked and, where it is known, of the granted integration.
 * Agents send a token wherever its serial leads, so that a hostile gateway could send them to another home.
 */
function ownTokens(gateway: string, door: string | null, tokens: Tokens): Tokens {
  const isOwn = [tokens.access, tokens.refresh].every((token) => gatewayOfToken(token)?.gateway === gateway)
  if (!isOwn || (door !== null && tokens.door !== door)) throw new errors.InvalidGrant()
  return tokens
}

/** RFC 6749 section 6: a refresh asks for nothing that was not granted. */
function checkScope(scope: unknown): void {
  if (scope === undefined || scope === '') return
  const asked = typeof scope === 'string' ? scope.split(' ') : ['']
  const unknown = asked.find((word) => !SCOPES.includes(word))
  if (unknown !== undefined) throw new errors.InvalidScope('the scope was not granted', unknown)
}

/** The resource that a client names has to be the one that was granted: a slash at its end makes no difference. */
function checkResource(origin: string, params: Given, granted: string | null): void {
  if (params['resource'] === undefined) return
  const door = audienceOf(origin, textOf(params, 'resource'))
  if (door === null || door !== granted) throw new errors.InvalidTarget()
}

function textOf(params: Given, name: string): string {
  const value = params[name]
  if (typeof value !== 'string' || value === '') throw new errors.InvalidRequest(`missing required parameter ${name}`)
  return value
}
