import { createPublicKey, verify } from 'node:crypto'
import type { z } from 'zod'
import type { hello } from '../../src/wire/control.ts'
import { proofBytes } from '../../src/wire/proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '../../src/wire/tunnel.ts'
import type { HeldTunnel } from './held-tunnel.ts'

export type Hello = z.output<typeof hello.answer>

/** Whether who answers at this end of the tunnel has the key that it shows: for this nonce and this TLS connection. */
export function isProved(tunnel: HeldTunnel, answer: Hello, nonce: Buffer): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: answer.publicKey }, format: 'jwk' })
    const exporter = tunnel.exporter(EXPORTER_BYTES, EXPORTER_LABEL, answer.serial)
    return verify(null, proofBytes(answer.serial, nonce, exporter), key, Buffer.from(answer.signature, 'base64url'))
  } catch {
    return false
  }
}
