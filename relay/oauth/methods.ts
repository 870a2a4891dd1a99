import type { IncomingMessage, ServerResponse } from 'node:http'

const READ: readonly string[] = ['GET', 'HEAD']
const SENT: readonly string[] = ['POST']

interface Endpoint {
  readonly methods: readonly string[]
  /** The engine responds to CORS preflight requests. */
  readonly preflight: boolean
}

/** Endpoints of the engine with their methods. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/authorize': { methods: READ, preflight: false },
  '/jwks': { methods: READ, preflight: true },
  '/register': { methods: SENT, preflight: false },
  '/revoke': { methods: SENT, preflight: true },
  '/token': { methods: SENT, preflight: true },
  '/.well-known/oauth-authorization-server': { methods: READ, preflight: true },
  '/.well-known/openid-configuration': { methods: READ, preflight: true },
}
/** An authorization that continues after the interaction. */
const RESUMED = /^\/authorize\/[\w-]+$/

/** Path patterns of the engine. */
export const OAUTH_ROUTES: readonly string[] = [...Object.keys(ENDPOINTS), '/authorize/{id}']

export const isEndpoint = (path: string): boolean => Object.hasOwn(ENDPOINTS, path) || RESUMED.test(path)

/** Refuses a wrong method in the form of OAuth; returns true if it did. The engine itself would respond with 404. */
export function refusedMethod(path: string, request: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', headers } = request
  const { methods, preflight } = ENDPOINTS[path] ?? { methods: READ, preflight: false }
  if (methods.includes(method)) return false
  if (preflight && method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) return false
  const [first = ''] = methods
  const body = JSON.stringify({
    error: 'invalid_request',
    error_description: `This endpoint does not take this method; it takes ${first}.`,
  })
  response
    .writeHead(405, {
      allow: methods.join(', '),
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
      'content-type': 'application/json; charset=utf-8',
    })
    .end(method === 'HEAD' ? undefined : body)
  return true
}
