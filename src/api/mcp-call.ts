import type { Door } from '../auth/door.ts'
import type { Via } from '../auth/credential.ts'
import type { Answer } from './call.ts'

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
