import { createHash, randomBytes } from 'node:crypto'
import type { HostedRequestInput, HostedRequest } from '../../../src/auth/hosted/hosted-agents.ts'
import type { HostedPair } from '../../../src/auth/hosted/hosted-tokens.ts'
import type { Result } from '../../../src/lib/result.ts'
import { type AccessHome, ANNA } from './access-home.ts'

/** The id of a client whose domain proves its name. */
export const CLAUDE = 'https://claude.example/client.json'

/** PKCE as a client makes it (RFC 7636, S256). */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A request from the relay, valid except for `fields`. */
export function accessRequest(fields: Partial<HostedRequestInput> = {}): HostedRequestInput {
  return {
    name: 'Claude',
    platform: 'claude.example',
    record: null,
    client: CLAUDE,
    redirectHost: 'claude.example',
    challenge: pkce().challenge,
    door: 'mcp',
    account: 'anna@example.org',
    peer: '203.0.113.9',
    ...fields,
  }
}

export function valueOf<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`It was refused: ${JSON.stringify(result.error)}`)
  return result.value
}

/** The error of a result that must be a refusal. */
export function errorOf(result: Result<unknown, unknown>): unknown {
  return result.ok ? null : result.error
}

export const requestAccess = (home: AccessHome, fields: Partial<HostedRequestInput> = {}): HostedRequest =>
  valueOf(home.hosted.ask(accessRequest(fields)))

/** A request that an administrator accepted, with its authorization code and verifier. */
export function acceptedRequest(
  home: AccessHome,
  fields: Partial<HostedRequestInput> = {},
  choice: Partial<Parameters<AccessHome['pairing']['accept']>[1]> = {},
): { readonly request: string; readonly verifier: string; readonly client: string } {
  const { verifier, challenge } = pkce()
  const { request, code } = requestAccess(home, { challenge, ...fields })
  valueOf(home.pairing.accept(code, { kind: 'agent', ...choice }, ANNA))
  return { request, verifier, client: fields.client ?? CLAUDE }
}

/** A hosted agent with its first tokens. */
export function connectedAgent(home: AccessHome, fields: Partial<HostedRequestInput> = {}): HostedPair {
  return valueOf(home.hosted.redeem(acceptedRequest(home, fields)))
}

export const linkOf = (token: string): string => token.split('.')[2]!
