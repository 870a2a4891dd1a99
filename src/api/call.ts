import { isUtf8 } from 'node:buffer'
import type { TokenAudience, Via } from '../auth/credentials/credentials.ts'
import type { RequestCredentials } from '../auth/authenticator.ts'
import { parseJson } from '../lib/json.ts'
import { Refusal } from './errors.ts'
import type { Naming } from '../wire/errors.ts'

/** The part of a request that is known before its body; it suffices for authentication and permission. */
export interface CallHead {
  readonly method: string
  readonly query: Readonly<Record<string, string>>
  /** Bearer token, a person's session, or null. */
  readonly token: RequestCredentials
  readonly via: Via
  /**
   * Audience of the endpoint that received the request, `api` by default. Tokens of hosted platforms are valid for one
   * audience.
   */
  readonly audience?: TokenAudience | undefined
  /** Set for a message of the live stream; requests are counted by it. */
  readonly onStream?: true
  /** A tool's own names for the fields. */
  readonly naming?: Naming | undefined
  /** Network address of the peer, for counting failed authentications. */
  readonly peer: string
  /** `If-None-Match`, if the transport has headers. */
  readonly ifNoneMatch?: string | undefined
  /** `Accept-Encoding`, if the transport has headers. */
  readonly acceptEncoding?: string | undefined
  /** `Idempotency-Key`: the client's name for this write, which is performed once however often it arrives. */
  readonly idempotencyKey?: string | undefined
}

/** A request as transports pass it on: decoded, not yet checked. */
export interface Call extends CallHead {
  /** The raw path, without the query. */
  readonly path: string
  readonly body: Body
}

export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly mediaType: string | null; readonly encoded: boolean }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'too_large'; readonly bytesMax: number }

/** A response for any transport. `body` is null for 304. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string | null
  /** Byte length of a text body, if already known. */
  readonly bytes?: number
  /** Offset of each item in a list stored as bytes. */
  readonly items?: readonly number[]
}

/** Byte length of a response body. */
export function bytesOf({ body, bytes }: Answer): number {
  if (body === null) return 0
  return typeof body === 'string' ? (bytes ?? Buffer.byteLength(body)) : body.length
}

/** docs/decisions/requests.md: limit of a request body. */
export const BODY_BYTES_MAX = 256 * 1024
/** Limit of the body of a request without a credential. */
export const OPEN_BODY_BYTES_MAX = 4 * 1024

/**
 * Parses the body; `undefined` if there is none, a refusal if it is not JSON. Called late, so that refusals of access
 * come first.
 */
export function bodyValue(body: Body): unknown {
  switch (body.kind) {
    case 'none':
      return undefined
    case 'value':
      return body.value
    case 'too_large':
      throw new Refusal('payload_too_large', {
        message: `The body is too large: ${body.bytesMax / 1024} KiB at most.`,
      })
    case 'bytes': {
      if (body.bytes.length === 0) return undefined
      const mediaType = body.mediaType?.split(';', 1)[0]?.trim().toLowerCase()
      if (mediaType !== 'application/json' || body.encoded) throw new Refusal('unsupported_media_type')
      if (!isUtf8(body.bytes))
        throw new Refusal('validation', { message: 'The body is not valid JSON: it is not UTF-8.' })
      const parsed = parseJson(body.bytes.toString('utf8'))
      if (parsed.ok) return parsed.value
      throw new Refusal('validation', {
        message:
          parsed.error === 'too_deep'
            ? 'The body is nested too deeply: 32 levels at most.'
            : 'The body is not valid JSON.',
      })
    }
  }
}

/** Methods of the agents' endpoint, as `Allow` lists them. */
export const MCP_METHODS = ['GET', 'POST', 'DELETE'] as const
export const MCP_PATH = '/mcp'

/** Removes a trailing slash from the path of the agents' endpoint. */
export const withoutMcpSlash = (path: string): string => (path === `${MCP_PATH}/` ? MCP_PATH : path)

/** A request of the agents' protocol from any transport; a web `Request` is one. */
export interface McpRequest {
  readonly method: string
  readonly headers: Headers
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  /**
   * Reads the body.
   * @returns null if it has more than `bytesMax`.
   * @throws {Refusal} `validation` if it was cut off.
   */
  text(bytesMax: number): Promise<string | null>
}

/** Origin of a request of the agents' protocol. */
export interface McpSender {
  readonly via: Via
  readonly audience: TokenAudience
  /** The network address. */
  readonly peer: string
}

/** A response that streams events until it ends itself, the credential ends, or the client leaves. */
export interface EventStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly events: ReadableStream<Uint8Array>
}

export type McpAnswer = Answer | EventStream

/** Handler of the agents' protocol, independent of its transport. */
export interface McpHandler {
  answer(request: McpRequest, from: McpSender): Promise<McpAnswer>
}
