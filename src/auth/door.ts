/**
 * What a request comes in by: the service's own paths, the MCP server for any integration, or the one that is bound to
 * an integration (Spec 5 point 6).
 */
export type Door = 'api' | 'mcp' | `mcp/r/${string}`

const BOUND = 'mcp/r/'

/** The id of the integration that a door is bound to, or null. */
export function boundTo(door: Door): string | null {
  return door.startsWith(BOUND) ? door.slice(BOUND.length) : null
}

/** A door of the MCP server by its name, or null where it has none of that name. */
export function mcpDoorOf(name: string): Door | null {
  if (name === 'mcp') return name
  return name.length > BOUND.length && name.startsWith(BOUND) ? (name as Door) : null
}
