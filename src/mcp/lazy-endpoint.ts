import { refusedWith } from '../api/answers.ts'
import type { McpEndpoint, McpEndpointParts, McpSender } from './endpoint.ts'

/**
 * The MCP endpoint, made at the first request: a home without agents starts sooner and saves the memory of the
 * protocol's package.
 */
export class LazyMcpEndpoint {
  readonly #parts: McpEndpointParts
  #endpoint: McpEndpoint | null = null
  #stopped: Promise<void> | null = null

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
  }

  async answer(request: Request, from: McpSender): Promise<Response> {
    const { McpEndpoint: Endpoint } = await import('./endpoint.ts')
    if (this.#stopped !== null) return stopping()
    this.#endpoint ??= new Endpoint(this.#parts)
    return this.#endpoint.answer(request, from)
  }

  /** Ends what agents have open, once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#endpoint?.stop() ?? Promise.resolve()
    return this.#stopped
  }
}

/** How long a client may wait before it looks whether the gateway is back. */
const RESTART_SECONDS = 5

function stopping(): Response {
  const { status, headers, body } = refusedWith('overloaded', {
    message: 'The gateway stops.',
    retryAfter: RESTART_SECONDS,
  })
  return new Response(body?.toString(), { status, headers })
}
