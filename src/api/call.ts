import { isUtf8 } from 'node:buffer'
import type { Door, Via } from '../auth/credentials/credentials.ts'
import type { Presented } from '../auth/authenticator.ts'
import { parseJson } from '../lib/json.ts'
import { Refusal } from './errors.ts'
import type { Naming } from '../wire/errors.ts'

/** What of a request is known before its body: enough to say who asks, and whether they may. */
export interface CallHead {
  readonly method: string
  readonly query: Readonly<Record<string, string>>
  /** The bearer token as presented, the session of a person, or null. */
  readonly token: Presented
  readonly via: Via
  /** What it came in by; `api` unless said. Tokens of hosted platforms are for one door. */
  readonly door?: Door | undefined
  /** Whether it is a message of the live stream: requests are counted by it. */
  readonly onStream?: true
  /** Of a tool's request: what the tool calls the fields. */
  readonly naming?: Naming | undefined
  /** Whom failed authentications are counted for: the peer's address. */
  readonly peer: string
  /** `If-None-Match`, where the transport has such a thing. */
  readonly ifNoneMatch?: string | undefined
  /** `Accept-Encoding`, where the transport has such a thing. */
  readonly acceptEncoding?: string | undefined
  /** `Idempotency-Key`: the client's name for this write, which is made once however often it comes. */
  readonly idempotencyKey?: string | undefined
}

/** A request as every transport hands it over: decoded, not yet checked. */
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

/** An answer as every transport carries it. `body` is null for 304. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string | null
  /** How many a body that is text is, where somebody knows it already. */
  readonly bytes?: number
  /** Of a list that is kept as bytes: where in the body each item begins. */
  readonly items?: readonly number[]
}

/** How long the body of an answer is. */
export function bytesOf({ body, bytes }: Answer): number {
  if (body === null) return 0
  return typeof body === 'string' ? (bytes ?? Buffer.byteLength(body)) : body.length
}

/** docs/decisions/requests.md: 256 KiB at most. */
export const BODY_BYTES_MAX = 256 * 1024
/** Of a request that needs no credential. */
export const OPEN_BODY_BYTES_MAX = 4 * 1024

/**
 * The body's value, or `undefined` where none was sent; refuses what is no JSON. Called late, so that refusals of
 * access come first.
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
        throw new Refusal('validation', { message: 'The body is not valid JSON: it is no UTF-8.' })
      const parsed = parseJson(body.bytes.toString('utf8'))
      if (parsed.ok) return parsed.value
      throw new Refusal('validation', {
        message:
          parsed.error === 'too_deep' ? 'The body nests too deep: 32 levels at most.' : 'The body is not valid JSON.',
      })
    }
  }
}

/** Methods of the agents' endpoint, as `Allow` lists them. */
export const MCP_METHODS = ['GET', 'POST', 'DELETE'] as const
export const MCP_PATH = '/mcp'

/** The path of a request as the agents' endpoint is declared: clients may write it with a slash at its end. */
export const withoutMcpSlash = (path: string): string => (path === `${MCP_PATH}/` ? MCP_PATH : path)

/** A request of the agents' protocol as its transport hands it over; a web `Request` is one. */
export interface McpRequest {
  readonly method: string
  readonly headers: Headers
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  /**
   * Reads the body.
   * @returns null where it has more than `bytesMax`.
   * @throws {Refusal} `validation` where it was cut off.
   */
  text(bytesMax: number): Promise<string | null>
}

/** Where it comes from, and which door it came in by. */
export interface McpSender {
  readonly via: Via
  readonly door: Door
  /** The network address. */
  readonly peer: string
}

/** An answer that goes on after its headers: events, until it ends by itself, or with the credential or the client. */
export interface EventStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly events: ReadableStream<Uint8Array>
}

export type McpAnswer = Answer | EventStream

/** What answers the agents' protocol, over whatever carries it. */
export interface McpHandler {
  answer(request: McpRequest, from: McpSender): Promise<McpAnswer>
}
