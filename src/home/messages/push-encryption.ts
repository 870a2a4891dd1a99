import { createCipheriv, createECDH, createPrivateKey, type ECDH, hkdfSync, sign } from 'node:crypto'
import type { Random } from '../../lib/random.ts'

export const CURVE = 'prime256v1'
/** Lengths of a point, of a private key and of the browser's secret, in bytes. */
export const POINT_BYTES = 65
export const PRIVATE_KEY_BYTES = 32
export const AUTH_BYTES = 16
const SALT_BYTES = 16
/** Size of a record in the header; a message is one record. */
const RECORD_BYTES = 4_096
/** Ends the content of the last record; the padding follows. */
const LAST_RECORD = 2

/** Keys of a browser (RFC 8291). */
export interface PushKeys {
  readonly p256dh: Buffer
  readonly auth: Buffer
}

/** Fresh salt and keys of one message. */
export interface MessageKeys {
  readonly salt: Buffer
  readonly ecdh: ECDH
}

export function messageKeys(random: Random): MessageKeys {
  return { salt: random.bytes(SALT_BYTES), ecdh: keyPair(random.bytes(PRIVATE_KEY_BYTES)) }
}

/** @throws Error for one of four billion random keys */
export function keyPair(privateKey: Buffer): ECDH {
  const ecdh = createECDH(CURVE)
  ecdh.setPrivateKey(privateKey)
  return ecdh
}

/**
 * Content for a browser by `aes128gcm` (RFC 8188, RFC 8291), padded with zeros to `length` bytes before encryption.
 * @throws Error for a key that is no point of the curve
 */
export function encrypted(content: Buffer, { p256dh, auth }: PushKeys, keys: MessageKeys, length = 0): Buffer {
  const { salt, ecdh } = keys
  const own = ecdh.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, own])
  const secret = derived(ecdh.computeSecret(p256dh), auth, info, 32)
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const padding = Buffer.alloc(Math.max(0, length - content.length))
  const record = cipher.update(Buffer.concat([content, Buffer.from([LAST_RECORD]), padding]))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(RECORD_BYTES)
  head.writeUInt8(own.length, 4)
  return Buffer.concat([salt, head, own, record, cipher.final(), cipher.getAuthTag()])
}

const derived = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** Claims of a signature (RFC 8292): origin of the push service, end in epoch seconds, contact. */
export interface VapidClaims {
  readonly aud: string
  readonly exp: number
  readonly sub: string
}

/** The header `Authorization` for a push service. */
export function vapidHeader(ecdh: ECDH, claims: VapidClaims): string {
  const point = ecdh.getPublicKey()
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256', d: fixed(ecdh.getPrivateKey()).toString('base64url') },
    ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
  }
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${text}.${signature.toString('base64url')}, k=${point.toString('base64url')}`
}

/** A private key with its leading zeros. */
const fixed = (key: Buffer): Buffer => Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - key.length), key])
