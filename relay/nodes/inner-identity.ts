import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { buildCertificate } from '@hm-gateway/tls/certificate.ts'

const DAY_MS = 86_400_000
const SECRET_BYTES = 32

/** Key and secret of a node, made at its start and never stored. */
export interface InnerIdentity {
  readonly cert: string
  readonly key: string
  /** SHA-256 of the public key, base64url. */
  readonly spki: string
  /** 32 bytes, base64url. */
  readonly secret: string
}

export function innerIdentity(clock: Clock, random: Random): InnerIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const cert = buildCertificate({
    kind: 'leaf',
    commonName: 'relay node',
    names: ['node.invalid'],
    publicKey,
    // Other nodes check only the key, but a certificate must have dates.
    notBefore: clock.now() - DAY_MS,
    notAfter: clock.now() + DAY_MS,
    serialNumber: random.bytes(16),
    issuer: null,
    signingKey: privateKey,
  })
  return {
    cert,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    spki: spkiOf(publicKey),
    secret: random.bytes(SECRET_BYTES).toString('base64url'),
  }
}

export function spkiOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}
