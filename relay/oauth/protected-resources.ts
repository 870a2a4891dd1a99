/**
 * Protected resources of OAuth (RFC 8707, RFC 9728). Their path is a token's audience: `mcp` or `mcp/r/{integration}`.
 */
import { bearerChallenge } from '@hm-gateway/lib/request-head.ts'

export const SCOPE = 'home'
const AUDIENCE = /^mcp(?:\/r\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Path patterns of the metadata. */
export const PROTECTED_RESOURCES = [METADATA_PATH, `${METADATA_PATH}/mcp`, `${METADATA_PATH}/mcp/r/{id}`] as const

/** Audience of a resource indicator, with or without a trailing slash; null for any other text. */
export function audienceOf(origin: string, resource: string): string | null {
  if (!resource.startsWith(`${origin}/`)) return null
  const audience = resource.slice(origin.length + 1).replace(/\/$/, '')
  return AUDIENCE.test(audience) ? audience : null
}

/** Id of the integration in an audience, or null. */
export function integrationOf(audience: string): string | null {
  return AUDIENCE.exec(audience)?.[1] ?? null
}

export const resourceOf = (origin: string, audience: string): string => `${origin}/${audience}`

/** `WWW-Authenticate` of a 401, which leads clients to the metadata and so to the sign-in (RFC 9728). */
export function challengeOf(origin: string, audience: string, token: string | null): string {
  return bearerChallenge(token, [`resource_metadata="${origin}${METADATA_PATH}/${audience}"`, `scope="${SCOPE}"`])
}

/** Metadata of the protected resource at a path; null for other paths. The path without an audience means `mcp`. */
export function protectedResource(origin: string, path: string): object | null {
  if (path !== METADATA_PATH && !path.startsWith(`${METADATA_PATH}/`)) return null
  const audience = path === METADATA_PATH ? 'mcp' : path.slice(METADATA_PATH.length + 1).replace(/\/$/, '')
  if (!AUDIENCE.test(audience)) return null
  return {
    resource: resourceOf(origin, audience),
    authorization_servers: [origin],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Home Control Service',
  }
}
