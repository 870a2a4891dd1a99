import { refusedWith } from '../api/answers.ts'
import type { Via } from '../auth/credential.ts'
import type { McpEndpoint, McpEndpointParts } from './endpoint.ts'

/**
 * The MCP endpoint, made at the first request: a home without agents starts sooner and saves the memory of the
 * protocol's package.
 */
export class LazyMcpEndpoint {
  readonly #parts: McpEndpointParts
  #endpoint: McpEndpoint | null = null
  #stopped = false

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
  }

  async answer(request: Request, from: { readonly via: Via; readonly peer: string }): Promise<Response> {
    const { McpEndpoint: Endpoint } = await import('./endpoint.ts')
    if (this.#stopped) return stopping()
    this.#endpoint ??= new Endpoint(this.#parts)
    return this.#endpoint.answer(request, from)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#endpoint?.stop()
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
