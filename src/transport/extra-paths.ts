import { NotServed } from '../api/answers.ts'
import { MCP_METHODS, MCP_PATH, withoutMcpSlash } from '../api/call.ts'
import { Router } from '../api/router.ts'

const DOCUMENT = { allow: ['GET', 'HEAD'], open: true }

/** Paths served over HTTPS in addition to the contract, with their methods; `open` needs no credential. */
const EXTRA_PATHS = new Router<{ readonly allow: readonly string[]; readonly open: boolean }>([
  { method: 'GET', path: '/openapi.json', target: DOCUMENT },
  { method: 'GET', path: '/asyncapi.json', target: DOCUMENT },
  { method: 'GET', path: '/ca.pem', target: DOCUMENT },
  { method: 'GET', path: '/v1/stream', target: { allow: ['GET', 'HEAD'], open: false } },
  { method: 'GET', path: MCP_PATH, target: { allow: MCP_METHODS, open: false } },
])

/** Paths at which OAuth clients look for a sign-in. Only the relay has one, not the gateway. */
const OAUTH_PATH = /^\/(?:\.well-known(?:\/.*)?|register|authorize|token|revoke|jwks)\/?$/

/**
 * Refusal of a method at a path outside the contract (docs/decisions/requests.md#decided); null for all other paths.
 */
export function extraPathRefusal(path: string): { readonly refusal: NotServed; readonly open: boolean } | null {
  if (OAUTH_PATH.test(path)) return { refusal: new NotServed([]), open: true }
  const found = EXTRA_PATHS.find('GET', withoutMcpSlash(path))
  return found && { refusal: new NotServed(found.target.allow), open: found.target.open }
}
