/** Longer than any token of a gateway. */
const TOKEN_LENGTH_MAX = 300
const TOKEN = /^hm_(agent|refresh)_([a-z0-9]{12})\./

/** Reads the gateway's serial from a token; null if the token is malformed. */
export function gatewayOfToken(
  token: string,
): { readonly kind: 'AccessToken' | 'RefreshToken'; readonly gateway: string } | null {
  const [, kind, gateway] = token.length > TOKEN_LENGTH_MAX ? [] : (TOKEN.exec(token) ?? [])
  if (gateway === undefined) return null
  return { kind: kind === 'refresh' ? 'RefreshToken' : 'AccessToken', gateway }
}
