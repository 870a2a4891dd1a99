import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The options of a page to its browser that an authenticator reads. */
export interface AuthenticatorOptions {
  readonly challenge: string
}

/** The authenticator's origin, and its deviations from the standard. */
export interface Quirks {
  readonly origin?: string
  readonly site?: string
  /** True if the user was verified: by a finger, a face or a PIN. */
  readonly verified?: boolean
  readonly counter?: number
  /** Signs with a foreign key. */
  readonly foreign?: boolean
  readonly type?: string
  readonly id?: string
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40]
const AAGUID_BYTES = 16

/** A software authenticator with one passkey (WebAuthn Level 3, section 6), at a page of an origin. */
export class SoftAuthenticator {
  readonly #origin: string
  readonly #id = randomBytes(32)
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  readonly #foreign = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers creation options as a browser would. */
  make({ challenge }: AuthenticatorOptions, quirks: Quirks = {}): object {
    const id = Buffer.alloc(2)
    id.writeUInt16BE(this.#id.length)
    const attested = Buffer.concat([Buffer.alloc(AAGUID_BYTES), id, this.#id, this.#coseKey()])
    const data = Buffer.concat([this.#authenticatorData(ATTESTED, quirks), attested])
    const size = Buffer.from([0x59, data.length >> 8, data.length & 0xff])
    const text = (key: string): Buffer => Buffer.concat([Buffer.from([0x60 + key.length]), Buffer.from(key)])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), size, data],
    ])
    return this.#answer(quirks, {
      clientDataJSON: base64url(this.#client('webauthn.create', challenge, quirks)),
      attestationObject: base64url(attestationObject),
    })
  }

  /** Answers sign-in or proof options as a browser would. */
  show({ challenge }: AuthenticatorOptions, quirks: Quirks = {}): object {
    const client = this.#client('webauthn.get', challenge, quirks)
    const data = this.#authenticatorData(0, quirks)
    const { privateKey } = quirks.foreign ? this.#foreign : this.#pair
    const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), privateKey)
    return this.#answer(quirks, {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
    })
  }

  #answer({ id = base64url(this.#id) }: Quirks, response: object): object {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #client(type: string, challenge: string, { origin = this.#origin, type: clientType = type }: Quirks): Buffer {
    return Buffer.from(JSON.stringify({ type: clientType, challenge, origin, crossOrigin: false }))
  }

  #authenticatorData(
    flags: number,
    { site = new URL(this.#origin).hostname, verified = true, counter = 0 }: Quirks,
  ): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const all = flags | PRESENT | (verified ? VERIFIED : 0)
    return Buffer.concat([createHash('sha256').update(site).digest(), Buffer.from([all]), count])
  }

  /** ES256 on P-256 (RFC 9053 section 7.1.1), in CBOR. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#pair.publicKey.export({ format: 'jwk' })
    const [head, between] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')]
    return Buffer.concat([head, Buffer.from(x, 'base64url'), between, Buffer.from(y, 'base64url')])
  }
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url')
