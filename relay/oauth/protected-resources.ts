/** What agents come in by, as resources of OAuth (RFC 8707, RFC 9728): `mcp`, or `mcp/r/{integration}`. */
import { bearerChallenge } from '@hm-gateway/lib/request-head.ts'

export const SCOPE = 'home'
const DOOR = /^mcp(?:\/r\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Of the metadata of every door. */
export const PROTECTED_RESOURCES = [METADATA_PATH, `${METADATA_PATH}/mcp`, `${METADATA_PATH}/mcp/r/{id}`] as const

/** The door of a resource indicator, or null for anything else. A slash at its end makes no difference to agents. */
export function audienceOf(origin: string, resource: string): string | null {
  if (!resource.startsWith(`${origin}/`)) return null
  const door = resource.slice(origin.length + 1).replace(/\/$/, '')
  return DOOR.test(door) ? door : null
}

/** The integration that a door is bound to, or null. */
export function integrationOf(door: string): string | null {
  return DOOR.exec(door)?.[1] ?? null
}

export const resourceOf = (origin: string, door: string): string => `${origin}/${door}`

/** `WWW-Authenticate` of a 401 at a door, from which clients find the way to sign in (RFC 9728). */
export function challengeOf(origin: string, door: string, token: string | null): string {
  return bearerChallenge(token, [`resource_metadata="${origin}${METADATA_PATH}/${door}"`, `scope="${SCOPE}"`])
}

/** The protected-resource metadata of a path, or null where the path is none of them; at the root it is of `mcp`. */
export function protectedResource(origin: string, path: string): object | null {
  if (path !== METADATA_PATH && !path.startsWith(`${METADATA_PATH}/`)) return null
  const door = path === METADATA_PATH ? 'mcp' : path.slice(METADATA_PATH.length + 1).replace(/\/$/, '')
  if (!DOOR.test(door)) return null
  return {
    resource: resourceOf(origin, door),
    authorization_servers: [origin],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Home Control Service',
  }
}
