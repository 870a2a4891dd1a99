import { X509Certificate } from 'node:crypto'
import { ConnectionError, TrustError } from './error.ts'
import { contentOf, GatewayAgent, got } from './node-agent.ts'
import type { Through } from './transport.ts'

/** What a CA's certificate comes in is far smaller. */
const CA_BYTES_MAX = 64 * 1024
/** A gateway that does not hand out its CA within this is taken for absent. */
const CA_WAIT_MS = 10_000

/** A CA, and the fingerprint that it was known by. */
export interface Ca {
  /** One certificate, PEM. */
  readonly pem: string
  /** SHA-256, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
}

/** A gateway that has shown the expected CA. */
export interface Found {
  readonly ca: Ca
  /** Where it answered first: this way need not be looked for again. */
  readonly address: string
}

/**
 * The one certificate of a PEM text; what else is in the text does not count.
 * @throws Error for a text without a certificate
 */
export function caOf(pem: string): Ca {
  const certificate = new X509Certificate(pem)
  return { pem: certificate.toString(), fingerprint: certificate.fingerprint256 }
}

/**
 * Asks each address for the gateway's CA, all at once, and takes the first that is the expected one. Nothing is
 * verified on the way, so nothing secret is sent, and what comes counts only by its fingerprint (docs/tls.md).
 * @throws TrustError where another CA answers and none that fits, ConnectionError where none answers
 */
export async function trustedCa(
  addresses: readonly string[],
  fingerprint: string,
  through: Through = null,
): Promise<Found> {
  const answered = new AbortController()
  const asked = addresses.map(async (address) => {
    const ca = await servedCa(address, through, answered.signal)
    if (ca.fingerprint !== fingerprint) throw new TrustError(fingerprint, ca.fingerprint)
    return { ca, address }
  })
  try {
    return await Promise.any(asked)
  } catch (error) {
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
    const other = errors.find((each) => each instanceof TrustError)
    if (other) throw other
    throw new ConnectionError(`No gateway answers at ${addresses.join(', ')}.`, { isSent: false, cause: error })
  } finally {
    answered.abort()
  }
}

/** The CA that a gateway hands out, unverified. */
export async function servedCa(address: string, through: Through, ending?: AbortSignal): Promise<Ca> {
  // A connection of its own: none that was not verified is ever used again.
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
