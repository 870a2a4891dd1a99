/** Addresses of a gateway, and the CA to trust there. */
export interface GatewayPlace {
  /** `https://…:8490`, the likeliest first. */
  readonly addresses: readonly string[]
  /** SHA-256 of its CA, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
}

/** Everything a client needs to connect, as one text; as secret as the token in it (docs/client.md#connection-code). */
export function connectionCode({ addresses, fingerprint }: GatewayPlace, token: string): string {
  const f = Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url')
  return `hmc1_${Buffer.from(JSON.stringify({ u: addresses, f, t: token })).toString('base64url')}`
}
