import { createHash, timingSafeEqual } from 'node:crypto'
import { isPlainText, plainTextOf } from '../lib/plain-text.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { AgentRequest } from './agent-request.ts'
import type { Ask, AskRefusal } from './device-flow.ts'
import { boundTo, mcpDoorOf } from './door.ts'

/** Characters of an agent's name or platform, as everywhere. */
const NAME_MAX = 64
const ACCOUNT_MAX = 254
const CLIENT_MAX = 2_048
const HOST_MAX = 300
const PEER_MAX = 64
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636 section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** What a relay tells of an agent that asks, in the words of its control stream. */
export interface HostedAsk {
  /** What the OAuth client calls itself, and where it says that it runs. */
  readonly name: string
  readonly platform: string
  /** The integration that the door is bound to, or null. */
  readonly record: string | null
  /** The OAuth client id. */
  readonly client: string
  /** The host that the answer goes to. */
  readonly redirectHost: string
  /** PKCE: SHA-256 of the verifier, in base64url. */
  readonly challenge: string
  /** `mcp`, or `mcp/r/{integration}`. */
  readonly door: string
  /** The account at the relay. */
  readonly account: string
  /** The network address that the user's browser came from. */
  readonly peer: string
}

export interface HostedAsked {
  /** The request's id, by which its state is asked and its tokens are collected. */
  readonly request: string
  /** The matching code, `XXXX-XXXX`. */
  readonly code: string
  /** Epoch ms. */
  readonly expiresAt: number
}

/** `not_found`: there is no integration behind that door. `validation`: a relay told something that is no request. */
export type HostedRefusal =
  | AskRefusal
  | { readonly kind: 'not_found' }
  | { readonly kind: 'validation'; readonly message: string }

/** A request as it is stored. What a relay tells is read as anybody's words: administrators are shown it. */
export function readAsk(asked: HostedAsk): Result<{ readonly input: Ask; readonly challenge: Buffer }, HostedRefusal> {
  const { account, challenge, client, record, redirectHost, peer } = asked
  const door = mcpDoorOf(asked.door)
  if (door === null || boundTo(door) !== record) return wrong('door')
  if (!isWord(account, ACCOUNT_MAX)) return wrong('account')
  if (!isWord(client, CLIENT_MAX)) return wrong('client')
  if (!isWord(redirectHost, HOST_MAX)) return wrong('redirectHost')
  if (!isWord(peer, PEER_MAX)) return wrong('peer')
  if (!CHALLENGE.test(challenge)) return wrong('challenge')
  const named = { name: plainTextOf(asked.name, NAME_MAX), platform: plainTextOf(asked.platform, NAME_MAX) }
  const host = redirectHost.slice(0, NAME_MAX)
  const input: Ask = {
    name: named.name === '' ? host : named.name,
    platform: named.platform === '' ? host : named.platform,
    record,
    hosted: { client, redirectHost, door, account },
    suggested: null,
    via: 'cloud',
    peer,
  }
  return ok({ input, challenge: Buffer.from(challenge, 'base64url') })
}

/** Whether a verifier is the one of the request's challenge (RFC 7636 section 4.6, S256). */
export function redeems({ challenge }: Pick<AgentRequest, 'challenge'>, verifier: string): boolean {
  if (challenge === null || !VERIFIER.test(verifier)) return false
  const sha256 = createHash('sha256').update(verifier).digest()
  return challenge.length === sha256.length && timingSafeEqual(challenge, sha256)
}

/** Something that people are shown in one piece: nothing invisible, and no spaces to hide more behind. */
function isWord(text: string, max: number): boolean {
  return text.length > 0 && text.length <= max && isPlainText(text) && !/\s/u.test(text)
}

function wrong(field: keyof HostedAsk): Result<never, HostedRefusal> {
  return fail({ kind: 'validation', message: `The relay's request is not valid: ${field}.` })
}
