/** Content of a connection code: addresses of a gateway, fingerprint of its CA, and a token. */
export interface Connection {
  /** `https://…:8490`, the most likely address first. */
  readonly addresses: readonly string[]
  /** SHA-256 of the gateway's CA, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
  readonly token: string
}

const PREFIX = 'hmc1_'

/** Makes a connection code, which is as secret as its token. */
export function encodeConnectionCode({ addresses, fingerprint, token }: Connection): string {
  const f = toBase64Url(String.fromCharCode(...fingerprint.split(':').map((pair) => Number.parseInt(pair, 16))))
  return `${PREFIX}${toBase64Url(JSON.stringify({ u: addresses, f, t: token }))}`
}

/** Reads a connection code; null for any other text. Spaces and line breaks do not count. */
export function decodeConnectionCode(code: string): Connection | null {
  const text = code.replace(/\s+/g, '')
  if (!text.startsWith(PREFIX)) return null
  try {
    const { u, f, t } = JSON.parse(fromBase64Url(text.slice(PREFIX.length))) as Partial<Record<string, unknown>>
    const digest = typeof f === 'string' ? fromBase64Url(f) : ''
    if (!isAddresses(u) || digest.length !== 32 || typeof t !== 'string' || !/^[!-~]+$/.test(t)) return null
    const pairs = Array.from(digest, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase())
    return { addresses: u, fingerprint: pairs.join(':'), token: t }
  } catch {
    return null
  }
}

function isAddresses(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((address) => typeof address === 'string' && /^https:\/\/[\w.:[\]-]+$/.test(address))
  )
}

const toBase64Url = (bytes: string): string => btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const fromBase64Url = (text: string): string => atob(text.replaceAll('-', '+').replaceAll('_', '/'))
