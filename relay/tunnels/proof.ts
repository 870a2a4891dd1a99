import { createPublicKey, verify } from 'node:crypto'
import type { z } from 'zod'
import { fail, type Result } from '@hm-gateway/lib/result.ts'
import { hello } from '@hm-gateway/wire/control.ts'
import { proofBytes } from '@hm-gateway/wire/proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '@hm-gateway/wire/tunnel.ts'
import { exchange, type ExchangeFailure } from './exchange.ts'
import type { HeldTunnel } from './held-tunnel.ts'
import type { RelayParts } from '../store/parts.ts'

const NONCE_BYTES = 32

export type Hello = z.output<typeof hello.answer>

/**
 * Asks who is at the other end of a new tunnel. Only what is proved is answered; otherwise why there is nothing:
 * `unproved` is an answer whose signature is not of the key that it shows.
 */
export async function greet(
  tunnel: HeldTunnel,
  self: Omit<z.input<typeof hello.ask>, 'nonce'>,
  { clock, random }: Pick<RelayParts, 'clock' | 'random'>,
): Promise<Result<Hello, ExchangeFailure['kind'] | 'unproved'>> {
  const nonce = random.bytes(NONCE_BYTES)
  const body = { ...self, nonce: nonce.toString('base64url') }
  const answered = await exchange(tunnel, { path: '/hello', body, answer: hello.answer }, clock)
  if (!answered.ok) return fail(answered.error.kind)
  return isProved(tunnel, answered.value, nonce) ? answered : fail('unproved')
}

/** Whether who answers at this end of the tunnel has the key that it shows: for this nonce and this TLS connection. */
function isProved(tunnel: HeldTunnel, answer: Hello, nonce: Buffer): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: answer.publicKey }, format: 'jwk' })
    const exporter = tunnel.exporter(EXPORTER_BYTES, EXPORTER_LABEL, answer.serial)
    return verify(null, proofBytes(answer.serial, nonce, exporter), key, Buffer.from(answer.signature, 'base64url'))
  } catch {
    return false
  }
}
