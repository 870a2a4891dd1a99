const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?<port>\d{1,5}))?$/
const PORT_MAX = 65_535

/**
 * The name or address in a Host header, in lower case and without the root's dot; IPv6 addresses in brackets. Null if
 * invalid, or with an impossible port (RFC 9110 section 7.2).
 */
export function hostName(host: string): string | null {
  const { name, port } = HOST.exec(host.toLowerCase())?.groups ?? {}
  return name === undefined || Number(port ?? 0) > PORT_MAX ? null : name.replace(/\.$/, '')
}
