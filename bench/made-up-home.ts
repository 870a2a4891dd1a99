import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { GatewayIdentity } from '../src/tunnel/identity.ts'

/** A made-up home of a load. Its number determines its serial and key. */
export interface MadeUpHome {
  readonly serial: string
  readonly identity: GatewayIdentity
}

/** Prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function madeUpHome(number: number): MadeUpHome {
  const seed = createHash('sha256').update(`home ${number}`).digest()
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const { x: publicKey = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    serial: `h${number.toString(36).padStart(11, '0')}`,
    identity: { publicKey, sign: (bytes) => sign(null, bytes, key) },
  }
}

/** A token of that home. Its gateway would reject it, but the relay does not check it. */
export function madeUpToken(number: number): string {
  return `hm_key_${madeUpHome(number).serial}.made.up.token`
}
