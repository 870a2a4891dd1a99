import type { Door, Via } from '../auth/credentials/credentials.ts'
import type { Answer } from './call.ts'

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
