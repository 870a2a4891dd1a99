import { NotServed } from '../api/answers.ts'
import { MCP_METHODS, MCP_PATH, withoutMcpSlash } from '../api/call.ts'
import { Router } from '../api/router.ts'

const DOCUMENT = { allow: ['GET', 'HEAD'], open: true }

/** What is served over HTTPS beside the endpoints of the contract, with its methods; `open` needs no credential. */
const BESIDE = new Router<{ readonly allow: readonly string[]; readonly open: boolean }>([
  { method: 'GET', path: '/openapi.json', target: DOCUMENT },
  { method: 'GET', path: '/asyncapi.json', target: DOCUMENT },
  { method: 'GET', path: '/ca.pem', target: DOCUMENT },
  { method: 'GET', path: '/v1/stream', target: { allow: ['GET', 'HEAD'], open: false } },
  { method: 'GET', path: MCP_PATH, target: { allow: MCP_METHODS, open: false } },
])

/** Where clients of OAuth look for a sign-in. The gateway has none: it stands at the relay. */
const OAUTH_PATH = /^\/(?:\.well-known(?:\/.*)?|register|authorize|token|revoke|jwks)\/?$/

/**
 * The refusal of a method that a path beside the service does not take (docs/decisions/requests.md#decided); null where
 * there is no such path.
 */
export function refusalBeside(path: string): { readonly refusal: NotServed; readonly open: boolean } | null {
  if (OAUTH_PATH.test(path)) return { refusal: new NotServed([]), open: true }
  const found = BESIDE.find('GET', withoutMcpSlash(path))
  return found && { refusal: new NotServed(found.target.allow), open: found.target.open }
}
