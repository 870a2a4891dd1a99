import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { PushContent } from '../../../src/home/messages/push-request.ts'

/** A captured request to a push service. */
export interface PushedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** A browser with a push subscription: it decrypts messages as RFC 8291 says, by code of its own. */
export class PushBrowser {
  readonly endpoint: string
  readonly #ecdh = createECDH('prime256v1')
  readonly auth = randomBytes(16)
  readonly p256dh: Buffer

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.p256dh = this.#ecdh.generateKeys()
  }

  /** Body of the request that subscribes. */
  get address(): { readonly endpoint: string; readonly p256dh: string; readonly auth: string } {
    const { endpoint, p256dh, auth } = this
    return { endpoint, p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
  }

  /** Decrypted content. @throws if it is for another browser or was changed */
  read({ body }: Pick<PushedRequest, 'body'>): PushContent {
    const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)]
    const sender = body.subarray(21, 21 + keyLength)
    const record = body.subarray(21 + keyLength)
    const hkdf = (key: Buffer, with_: Buffer, info: Buffer, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', key, with_, info, length))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.p256dh, sender])
    const secret = hkdf(this.#ecdh.computeSecret(sender), this.auth, info, 32)
    const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(record.subarray(-16))
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    const end = plain.findLastIndex((byte) => byte !== 0)
    if (plain[end] !== 2) throw new Error('The last record does not end with 2.')
    return JSON.parse(plain.subarray(0, end).toString()) as PushContent
  }
}

/** Claims of a VAPID header. @throws if its signature is wrong or its key is another one */
export function vapidClaims(header: unknown, publicKey: string): { aud: string; exp: number; sub: string } {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(String(header)) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const bytes = Buffer.from(signature, 'base64url')
  const isRight = verify('sha256', Buffer.from(`${head}.${claims}`), { key: signer, dsaEncoding: 'ieee-p1363' }, bytes)
  if (!isRight || key !== publicKey) throw new Error('The signature is wrong.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string; exp: number; sub: string }
}
