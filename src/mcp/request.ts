import type { McpRequest } from '../api/mcp-call.ts'

/** The host was checked before, so the address holds no text of the client. */
const ADDRESS = 'https://localhost/mcp'
/** The library insists on both for a POST; `accepts.ts` has read the header of the client. */
const BOTH = 'application/json, text/event-stream'

/** A request as the library takes it; its body was read already. */
export function webRequest({ method, headers }: Pick<McpRequest, 'method' | 'headers'>, signal?: AbortSignal): Request {
  const request = new Request(ADDRESS, { method, headers, ...(signal && { signal }) })
  request.headers.set('accept', BOTH)
  return request
}
