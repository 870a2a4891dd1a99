import { createPublicKey, verify } from 'node:crypto'
import type { z } from 'zod'
import { fail, type Result } from '@hm-gateway/lib/result.ts'
import { hello } from '@hm-gateway/wire/relay-messages.ts'
import { proofBytes } from '@hm-gateway/wire/identity-proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '@hm-gateway/wire/tunnel.ts'
import { sendControlRequest, type RequestFailure } from './control-request.ts'
import type { TunnelSession } from './tunnel-session.ts'
import type { RelayParts } from '../store/relay-parts.ts'

const NONCE_BYTES = 32

export type GatewayHello = z.output<typeof hello.response>

/**
 * Asks the gateway of a new tunnel for its identity, and checks its signature. `unproved`: the signature does not fit
 * the public key.
 */
export async function authenticateGateway(
  tunnel: TunnelSession,
  relay: Omit<z.input<typeof hello.request>, 'nonce'>,
  { clock, random }: Pick<RelayParts, 'clock' | 'random'>,
): Promise<Result<GatewayHello, RequestFailure['kind'] | 'unproved'>> {
  const nonce = random.bytes(NONCE_BYTES)
  const body = { ...relay, nonce: nonce.toString('base64url') }
  const response = await sendControlRequest(tunnel, { path: '/hello', body, response: hello.response }, clock)
  if (!response.ok) return fail(response.error.kind)
  return isSigned(tunnel, response.value, nonce) ? response : fail('unproved')
}

/** True if the gateway signed this nonce and this TLS connection with the key that it names. */
function isSigned(tunnel: TunnelSession, answer: GatewayHello, nonce: Buffer): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: answer.publicKey }, format: 'jwk' })
    const exporter = tunnel.exporter(EXPORTER_BYTES, EXPORTER_LABEL, answer.serial)
    return verify(null, proofBytes(answer.serial, nonce, exporter), key, Buffer.from(answer.signature, 'base64url'))
  } catch {
    return false
  }
}
