import type { McpRequest } from '../api/mcp-call.ts'

/** Who the host was is decided before: what a client wrote there is no part of an address. */
const ADDRESS = 'https://localhost/mcp'

/** A request as the library takes it; its body was read already. */
export const webRequest = ({ method, headers }: McpRequest, signal?: AbortSignal): Request =>
  new Request(ADDRESS, { method, headers, ...(signal && { signal }) })
