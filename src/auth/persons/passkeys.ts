import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Random, randomId } from '../../lib/random.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { OWNER_CHANGED, type Person, PERSON_ID_LENGTH } from './person.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** A person's passkey; only its public key is stored. */
export interface Passkey {
  readonly id: string
  readonly person: string
  /** Name given by the person. */
  readonly name: string
  /** Host name of the gateway at which it works: `hm-4f2a91.local`. */
  readonly site: string
  /** Credential id of the authenticator, base64url. */
  readonly credential: string
  /** COSE (RFC 9052). */
  readonly publicKey: Buffer
  /** Signature counter of the authenticator; many always report 0. */
  readonly counter: number
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms; null: not used yet. */
  readonly usedAt: number | null
}

/** A browser's response to a passkey request (WebAuthn: AuthenticationResponseJSON), all base64url. */
export interface ShownPasskey {
  readonly id: string
  readonly rawId: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

/** A browser's new passkey (WebAuthn: RegistrationResponseJSON), all base64url. */
interface MadePasskey {
  readonly id: string
  readonly rawId: string
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
}

interface Known {
  readonly type: 'public-key'
  /** base64url. */
  readonly id: string
}

/** Options for creating a passkey (WebAuthn: PublicKeyCredentialCreationOptionsJSON). */
interface PasskeyCreation {
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

/** Options for requesting a passkey (WebAuthn: PublicKeyCredentialRequestOptionsJSON). */
export interface PasskeyRequest {
  readonly rpId: string
  readonly challenge: string
  readonly timeout: number
  readonly userVerification: 'required'
  readonly allowCredentials: Known[]
}

/** Most passkeys of one person. */
export const PASSKEYS_MAX = 10

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface PasskeyStore {
  get(id: string): Passkey | undefined
  byCredential(credential: string): Passkey | undefined
  list(): readonly Passkey[]
  insert(passkey: Passkey): void
  used(id: string, counter: number, at: number): void
  remove(id: string): void
  /** Treats these as removed although they are still stored; runs outside a change. */
  hold(ids: readonly string[]): void
}

/** Address of a console page; a passkey is bound to its host name. */
export interface PasskeySite {
  /** `https://hm-4f2a91.local:8490`. */
  readonly origin: string
  /** Host name; null if passkeys do not work here, for example at an IP address. */
  readonly name: string | null
}

/**
 * The site of a page from its validated Host header. Browsers accept passkeys only at host names, and only these two
 * names of the gateway never change.
 */
export function passkeySiteOf(host: string, gateway: string): PasskeySite {
  const [name = ''] = host.toLowerCase().split(':', 1)
  const takes = name === 'localhost' || name === ownName(gateway)
  return { origin: `https://${host.toLowerCase()}`, name: takes ? name : null }
}

/** Host name at which passkeys work on every device of the home. */
export const ownName = (gateway: string): string => `hm-${gateway.toLowerCase()}.local`

/** Life of a challenge. */
export const CHALLENGE_MS = 5 * 60_000
/** Most used challenges in memory until they expire; at this number all further ones are refused. */
const ANSWERED_MAX = 1_000

const [NONCE_BYTES, UNTIL_BYTES, MAC_BYTES] = [16, 6, 16]
const KEY_BYTES = 32

/**
 * Challenges for passkeys, each valid once and for one purpose. A challenge contains its expiry and a MAC, so the
 * gateway stores nothing until it is used, and strangers cannot exhaust memory.
 */
export class Challenges {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** Random key of this process; no challenge outlives it. */
  readonly #key: Buffer
  /** Used challenges with their expiry in steady time. */
  readonly #answered = new Map<string, number>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
    this.#key = random.bytes(KEY_BYTES)
  }

  /** Creates a challenge, base64url, for a purpose such as `enter`. */
  make(purpose: string): string {
    const payload = Buffer.alloc(NONCE_BYTES + UNTIL_BYTES)
    this.#random.bytes(NONCE_BYTES).copy(payload)
    payload.writeUIntBE(Math.ceil(this.#steady.now()) + CHALLENGE_MS, NONCE_BYTES, UNTIL_BYTES)
    return Buffer.concat([payload, this.#macOf(payload, purpose)]).toString('base64url')
  }

  /** True for an unused, unexpired challenge of this purpose. */
  holds(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url')
    // Only the canonical text is valid; another encoding of the same bytes would not be recognised as used.
    if (bytes.length !== NONCE_BYTES + UNTIL_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
      return false
    const payload = bytes.subarray(0, NONCE_BYTES + UNTIL_BYTES)
    const isOurs = timingSafeEqual(bytes.subarray(payload.length), this.#macOf(payload, purpose))
    return isOurs && this.#steady.now() < untilOf(payload) && !this.#answered.has(challenge)
  }

  /** Marks a challenge as used; false if it already was. */
  answered(challenge: string): boolean {
    const now = this.#steady.now()
    for (const [answered, until] of this.#answered) if (now >= until) this.#answered.delete(answered)
    if (this.#answered.has(challenge) || this.#answered.size >= ANSWERED_MAX) return false
    this.#answered.set(challenge, untilOf(Buffer.from(challenge, 'base64url')))
    return true
  }

  #macOf(payload: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(payload).update(purpose).digest().subarray(0, MAC_BYTES)
  }
}

const untilOf = (payload: Buffer): number => payload.readUIntBE(NONCE_BYTES, UNTIL_BYTES)

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812); every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]

const KEY = 'public-key'
/** Further fields required by the library. */
const FIXED_FIELDS = { type: KEY, clientExtensionResults: {} } as const

const NOT_VALID = 'The passkey could not be checked. Try again at this address.'
const TOO_MANY = `A person has at most ${PASSKEYS_MAX} passkeys: remove one first.`
const NO_SITE = 'Passkeys work at a host name, not at an IP address: open the console at one of the gateway’s names.'

interface PasskeysParts {
  readonly passkeys: PasskeyStore
  readonly challenges: Challenges
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Receives the ids of removed passkeys before the response is sent. */
  readonly ended: (ids: readonly string[]) => void
}

/** Purpose of a sign-in challenge. */
export const ENTER = 'enter'

/**
 * Passkeys of persons (docs/console.md#passkeys): creating, listing, removing and verifying them. The library for
 * signatures is loaded at the first use.
 */
export class Passkeys {
  readonly #parts: PasskeysParts

  constructor(parts: PasskeysParts) {
    this.#parts = parts
  }

  list(): readonly Passkey[] {
    return this.#parts.passkeys.list()
  }

  /** A person's passkeys that work at a site. */
  of(person: string | null, { name }: PasskeySite): readonly Passkey[] {
    return this.list().filter((passkey) => passkey.person === person && passkey.site === name)
  }

  /** Options for creating a passkey (`PublicKeyCredentialCreationOptionsJSON`); the error is one sentence. */
  creation(person: Person, { name: site }: PasskeySite, home: string): Result<PasskeyCreation, string> {
    if (site === null) return fail(NO_SITE)
    const own = this.#ofPerson(person)
    if (own.length >= PASSKEYS_MAX) return fail(TOO_MANY)
    return ok({
      rp: { id: site, name: home },
      user: { id: base64url(person.id), name: person.name, displayName: person.name },
      challenge: this.#parts.challenges.make(makingBy(person.id)),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: KEY, alg })),
      timeout: CHALLENGE_MS,
      excludeCredentials: own.map(({ credential: id }) => ({ type: KEY, id })),
      // A resident key identifies its person, so nobody types a name to sign in.
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    })
  }

  /** Verifies and stores a passkey made with the options of `creation`; the error is one sentence. */
  async add(
    { person, name, cause }: { readonly person: Person; readonly name: string; readonly cause: Cause },
    made: MadePasskey,
    site: PasskeySite,
    holds: () => boolean,
  ): Promise<Result<Passkey, string>> {
    if (site.name === null) return fail(NO_SITE)
    const checked = await this.#checkedMade(person, made, { origin: site.origin, name: site.name })
    if (checked === null || !holds()) return fail(NOT_VALID)
    const { passkeys, clock, random, work } = this.#parts
    if (passkeys.byCredential(checked.credential)) return fail('This passkey is already registered.')
    // The person may have added other passkeys since `creation`.
    if (this.#ofPerson(person).length >= PASSKEYS_MAX) return fail(TOO_MANY)
    const passkey: Passkey = {
      id: randomId(random, PERSON_ID_LENGTH),
      person: person.id,
      name,
      site: site.name,
      ...checked,
      createdAt: clock.now(),
      usedAt: null,
    }
    work.change((record) => {
      passkeys.insert(passkey)
      record(administrationEntry(this.#parts.clock, `passkey “${name}” of ${person.name} created`, cause))
    })
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok(passkey)
  }

  /** Options for requesting a passkey (`PublicKeyCredentialRequestOptionsJSON`); null if this site has none. */
  request({ name: site }: PasskeySite, purpose: string, only: readonly Passkey[] = []): PasskeyRequest | null {
    if (site === null) return null
    return {
      rpId: site,
      challenge: this.#parts.challenges.make(purpose),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
      allowCredentials: only.map(({ credential: id }) => ({ type: KEY, id })),
    }
  }

  /** True if the id belongs to a passkey of this site; `verify` checks the signature. */
  knows(response: Pick<ShownPasskey, 'id'>, { name }: PasskeySite): boolean {
    return this.#parts.passkeys.byCredential(response.id)?.site === name
  }

  /**
   * Verifies a browser's response and returns its passkey; null if it is unknown or not valid for this purpose and
   * site.
   */
  async verify(response: ShownPasskey, { origin, name }: PasskeySite, purpose: string): Promise<Passkey | null> {
    const { passkeys, challenges } = this.#parts
    const stored = passkeys.byCredential(response.id)
    // Checked before loading the library, so that strangers without a passkey's id cost no work.
    if (stored === undefined || stored.site !== name) return null
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    let challenge = ''
    const checked = await verifyAuthenticationResponse({
      response: { ...response, ...FIXED_FIELDS },
      expectedChallenge: (candidate) => {
        challenge = candidate
        return challenges.holds(candidate, purpose)
      },
      expectedOrigin: origin,
      expectedRPID: name,
      credential: { id: stored.credential, publicKey: new Uint8Array(stored.publicKey), counter: stored.counter },
    }).catch(() => null)
    if (checked?.verified !== true || !challenges.answered(challenge)) return null
    // The passkey may have been removed during the check.
    if (passkeys.get(stored.id) === undefined) return null
    this.#used(stored, checked.authenticationInfo.newCounter)
    return stored
  }

  /** Revocation of a passkey; null if there is none. */
  revocation(id: string, of: (person: string) => string, cause: Cause): Revocation | null {
    const { passkeys, work, ended } = this.#parts
    const stored = passkeys.get(id)
    if (stored === undefined) return null
    const what = `passkey “${stored.name}” of ${of(stored.person)} removed`
    const change = (): void =>
      work.change((record) => {
        passkeys.remove(id)
        record(administrationEntry(this.#parts.clock, what, cause))
      })
    const over = (): void => {
      ended([id])
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold: () => passkeys.hold([id]), over })
  }

  /**
   * If the disk refuses the write, only a passkey without a counter is accepted, because a counter must detect copies.
   */
  #used({ id, counter }: Passkey, now: number): void {
    const { passkeys, work, clock } = this.#parts
    try {
      work.change(() => passkeys.used(id, now, clock.now()))
    } catch (error) {
      if (!isStorageFailure(error) || now !== counter) throw error
    }
  }

  #ofPerson({ id }: Person): readonly Passkey[] {
    return this.list().filter(({ person }) => person === id)
  }

  async #checkedMade(
    person: Person,
    made: MadePasskey,
    site: { readonly origin: string; readonly name: string },
  ): Promise<Pick<Passkey, 'credential' | 'publicKey' | 'counter'> | null> {
    const { challenges } = this.#parts
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    let challenge = ''
    const checked = await verifyRegistrationResponse({
      response: { ...made, ...FIXED_FIELDS },
      expectedChallenge: (candidate) => {
        challenge = candidate
        return challenges.holds(candidate, makingBy(person.id))
      },
      expectedOrigin: site.origin,
      expectedRPID: site.name,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(() => null)
    if (checked?.verified !== true || !challenges.answered(challenge)) return null
    const { id, publicKey, counter } = checked.registrationInfo.credential
    return { credential: id, publicKey: Buffer.from(publicKey), counter }
  }
}

const makingBy = (person: string): string => `make:${person}`
const base64url = (text: string): string => Buffer.from(text).toString('base64url')
