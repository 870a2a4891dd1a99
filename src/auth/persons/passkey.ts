/** A key of a person that a device or a password manager keeps; of it only the public half is stored. */
export interface Passkey {
  readonly id: string
  readonly person: string
  /** What its person calls it. */
  readonly name: string
  /** At which name of the gateway it works: `hm-4f2a91.local`. */
  readonly site: string
  /** As its authenticator calls it, base64url. */
  readonly credential: string
  /** COSE (RFC 9052). */
  readonly publicKey: Buffer
  /** How often it was used, by its authenticator's own count; many always say 0. */
  readonly counter: number
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms; null: not used yet. */
  readonly usedAt: number | null
}

/** A passkey as a browser shows it (WebAuthn: AuthenticationResponseJSON), all base64url. */
export interface ShownPasskey {
  readonly id: string
  readonly rawId: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

/** A passkey as a browser made it (WebAuthn: RegistrationResponseJSON), all base64url. */
export interface MadePasskey {
  readonly id: string
  readonly rawId: string
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
}

interface Known {
  readonly type: 'public-key'
  /** base64url. */
  readonly id: string
}

/** What a browser takes to make a passkey (WebAuthn: PublicKeyCredentialCreationOptionsJSON). */
export interface PasskeyCreation {
  readonly rp: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly challenge: string
  readonly pubKeyCredParams: { readonly type: 'public-key'; readonly alg: number }[]
  readonly timeout: number
  readonly excludeCredentials: Known[]
  readonly authenticatorSelection: {
    readonly residentKey: 'required'
    readonly requireResidentKey: true
    readonly userVerification: 'required'
  }
  readonly attestation: 'none'
}

/** What a browser takes to show a passkey (WebAuthn: PublicKeyCredentialRequestOptionsJSON). */
export interface PasskeyRequest {
  readonly rpId: string
  readonly challenge: string
  readonly timeout: number
  readonly userVerification: 'required'
  readonly allowCredentials: Known[]
}

/** Passkeys of one person. */
export const PASSKEYS_MAX = 10

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface PasskeyStore {
  get(id: string): Passkey | undefined
  byCredential(credential: string): Passkey | undefined
  list(): readonly Passkey[]
  insert(passkey: Passkey): void
  used(id: string, counter: number, at: number): void
  remove(id: string): void
  /** They count as gone from now on although they are stored; outside of a change. */
  hold(ids: readonly string[]): void
}

/** Where a page of the console is shown: browsers keep passkeys to it. */
export interface Site {
  /** `https://hm-4f2a91.local:8490`. */
  readonly origin: string
  /** The name alone; null: passkeys do not work here, as at an address. */
  readonly name: string | null
}

/**
 * The site of a page, by the Host header that was checked to be one of the gateway's own. Browsers take passkeys at
 * names alone, and of the gateway's names these two stay the same.
 */
export function siteOf(host: string, gateway: string): Site {
  const [name = ''] = host.toLowerCase().split(':', 1)
  const takes = name === 'localhost' || name === ownName(gateway)
  return { origin: `https://${host.toLowerCase()}`, name: takes ? name : null }
}

/** The name at which passkeys work on every device of the home. */
export const ownName = (gateway: string): string => `hm-${gateway.toLowerCase()}.local`
