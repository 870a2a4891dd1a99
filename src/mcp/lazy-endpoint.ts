import { refusedWith } from '../api/answers.ts'
import type { McpAnswer, McpHandler, McpRequest, McpSender } from '../api/call.ts'
import { STOPPING } from './answer.ts'
import type { McpEndpoint, McpEndpointParts } from './mcp-endpoint.ts'

/**
 * The MCP endpoint, created at the first request. A home without agents starts faster and saves the memory of the
 * protocol's package.
 */
export class LazyMcpEndpoint implements McpHandler {
  readonly #parts: McpEndpointParts
  #endpoint: McpEndpoint | null = null
  #stopped: Promise<void> | null = null

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
  }

  async answer(request: McpRequest, from: McpSender): Promise<McpAnswer> {
    if (this.#endpoint !== null && this.#stopped === null) return this.#endpoint.answer(request, from)
    const { McpEndpoint: Endpoint } = await import('./mcp-endpoint.ts')
    if (this.#stopped !== null) return refusedWith('overloaded', STOPPING)
    this.#endpoint ??= new Endpoint(this.#parts)
    return this.#endpoint.answer(request, from)
  }

  /** Ends agents' open requests, once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#endpoint?.stop() ?? Promise.resolve()
    return this.#stopped
  }
}
