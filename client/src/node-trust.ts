import { X509Certificate } from 'node:crypto'
import { ConnectionError, TrustError } from './error.ts'
import { contentOf, GatewayAgent, got } from './node-agent.ts'
import type { Through } from './transport.ts'

/** Largest response that can hold a CA certificate; a real one is far smaller. */
const CA_BYTES_MAX = 64 * 1024
/** Timeout for fetching the CA of a gateway. */
const CA_WAIT_MS = 10_000

/** A CA and its fingerprint. */
export interface Ca {
  /** One certificate, PEM. */
  readonly pem: string
  /** SHA-256, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
}

/** A gateway that presented the expected CA. */
export interface Found {
  readonly ca: Ca
  /** The address that responded first; no further probe is needed. */
  readonly address: string
}

/**
 * The first certificate of a PEM text, without any other content.
 * @throws Error for a text without a certificate
 */
export function caOf(pem: string): Ca {
  const certificate = new X509Certificate(pem)
  return { pem: certificate.toString(), fingerprint: certificate.fingerprint256 }
}

/**
 * Fetches the CA from all addresses at once and returns the first that has the expected fingerprint. These connections
 * are unverified, so they carry no secret, and only the fingerprint proves the CA (docs/tls.md).
 * @throws TrustError if only other CAs were found, ConnectionError if no address responds
 */
export async function trustedCa(
  addresses: readonly string[],
  fingerprint: string,
  through: Through = null,
): Promise<Found> {
  const answered = new AbortController()
  const fetches = addresses.map(async (address) => {
    const ca = await servedCa(address, through, answered.signal)
    if (ca.fingerprint !== fingerprint) throw new TrustError(fingerprint, ca.fingerprint)
    return { ca, address }
  })
  try {
    return await Promise.any(fetches)
  } catch (error) {
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
    const other = errors.find((failure) => failure instanceof TrustError)
    if (other) throw other
    throw new ConnectionError(`No gateway answers at ${addresses.join(', ')}.`, { isSent: false, cause: error })
  } finally {
    answered.abort()
  }
}

/** Fetches the CA of a gateway over an unverified connection. */
export async function servedCa(address: string, through: Through, ending?: AbortSignal): Promise<Ca> {
  // An agent of its own, so that no unverified connection is reused.
  const agent = new GatewayAgent(null, through, { keepAlive: false })
  const late = AbortSignal.timeout(CA_WAIT_MS)
  const signal = ending ? AbortSignal.any([ending, late]) : late
  try {
    const response = await got(`${address}/ca.pem`, { agent, signal, rejectUnauthorized: false })
    return caOf((await contentOf(response, CA_BYTES_MAX)).toString('utf8'))
  } finally {
    agent.destroy()
  }
}
