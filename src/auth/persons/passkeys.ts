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

/** What a browser takes to make a passkey (WebAuthn: PublicKeyCredentialCreationOptionsJSON). */
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

/** Whoever is asked for a passkey has so long to show it. */
export const CHALLENGE_MS = 5 * 60_000
/** Answered ones that are remembered until they end; when there are so many, none is taken until one ends. */
const ANSWERED_MAX = 1_000

const [NONCE_BYTES, UNTIL_BYTES, MAC_BYTES] = [16, 6, 16]
const KEY_BYTES = 32

/**
 * What a passkey signs, so that an answer opens once and for one purpose alone. A challenge carries its end and the
 * gateway's mark, and nothing is kept of it before it is answered rightly: strangers who ask for many use up nothing.
 */
export class Challenges {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** Of this process alone: no challenge outlives it. */
  readonly #key: Buffer
  /** Answered ones, with their end in steady time. */
  readonly #answered = new Map<string, number>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
    this.#key = random.bytes(KEY_BYTES)
  }

  /** A new one, base64url, for a purpose such as `enter`. */
  make(purpose: string): string {
    const said = Buffer.alloc(NONCE_BYTES + UNTIL_BYTES)
    this.#random.bytes(NONCE_BYTES).copy(said)
    said.writeUIntBE(Math.ceil(this.#steady.now()) + CHALLENGE_MS, NONCE_BYTES, UNTIL_BYTES)
    return Buffer.concat([said, this.#markOf(said, purpose)]).toString('base64url')
  }

  /** Whether it was made for this purpose, has not ended and was not answered yet. */
  holds(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url')
    // One text for each: another one of the same bytes would not be known as answered.
    if (bytes.length !== NONCE_BYTES + UNTIL_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
      return false
    const said = bytes.subarray(0, NONCE_BYTES + UNTIL_BYTES)
    const isOurs = timingSafeEqual(bytes.subarray(said.length), this.#markOf(said, purpose))
    return isOurs && this.#steady.now() < untilOf(said) && !this.#answered.has(challenge)
  }

  /** It was answered rightly; false where it was before, meanwhile. */
  answered(challenge: string): boolean {
    const now = this.#steady.now()
    for (const [each, until] of this.#answered) if (now >= until) this.#answered.delete(each)
    if (this.#answered.has(challenge) || this.#answered.size >= ANSWERED_MAX) return false
    this.#answered.set(challenge, untilOf(Buffer.from(challenge, 'base64url')))
    return true
  }

  #markOf(said: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(said).update(purpose).digest().subarray(0, MAC_BYTES)
  }
}

const untilOf = (said: Buffer): number => said.readUIntBE(NONCE_BYTES, UNTIL_BYTES)

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): between them every authenticator knows one. */
const ALGORITHMS = [-8, -7, -257]

const KEY = 'public-key'
/** What the library takes besides. */
const ANY = { type: KEY, clientExtensionResults: {} } as const

const NOT_TAKEN = 'The passkey could not be checked: try it again, at this very address.'
const TOO_MANY = `A person has ${PASSKEYS_MAX} passkeys at most: remove one first.`
const NO_SITE = 'Passkeys work at a name, not at an address: open the console at one of the gateway’s names.'

interface PasskeysParts {
  readonly passkeys: PasskeyStore
  readonly challenges: Challenges
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Told the ids of passkeys that were removed, before whoever removed them is answered. */
  readonly ended: (ids: readonly string[]) => void
}

/** The challenge of a sign-in. */
export const ENTER = 'enter'

/**
 * Passkeys of persons (docs/console.md#passkeys): made, listed, removed, and recognised when they are shown. What signs
 * is checked by a library that is loaded when the first one is shown.
 */
export class Passkeys {
  readonly #parts: PasskeysParts

  constructor(parts: PasskeysParts) {
    this.#parts = parts
  }

  list(): readonly Passkey[] {
    return this.#parts.passkeys.list()
  }

  /** Those of a person that work at a site. */
  of(person: string | null, { name }: Site): readonly Passkey[] {
    return this.list().filter((each) => each.person === person && each.site === name)
  }

  /** What a browser takes to make one (`PublicKeyCredentialCreationOptionsJSON`); the error is one sentence. */
  creation(person: Person, { name: site }: Site, home: string): Result<PasskeyCreation, string> {
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
      // It names its person by itself, so nobody types a name to sign in.
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    })
  }

  /** Stores what a browser made by `creation`; the error is one sentence. */
  async add(
    { person, name, cause }: { readonly person: Person; readonly name: string; readonly cause: Cause },
    made: MadePasskey,
    site: Site,
    holds: () => boolean,
  ): Promise<Result<Passkey, string>> {
    if (site.name === null) return fail(NO_SITE)
    const checked = await this.#checkedMade(person, made, { origin: site.origin, name: site.name })
    if (checked === null || !holds()) return fail(NOT_TAKEN)
    const { passkeys, clock, random, work } = this.#parts
    if (passkeys.byCredential(checked.credential)) return fail('This passkey is known already.')
    // Others may have been made since this one's creation was asked for.
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
      record(administrationEntry(this.#parts.clock, `passkey “${name}” of ${person.name} made`, cause))
    })
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok(passkey)
  }

  /** What a browser takes to show one (`PublicKeyCredentialRequestOptionsJSON`); null: not at this site. */
  request({ name: site }: Site, purpose: string, only: readonly Passkey[] = []): PasskeyRequest | null {
    if (site === null) return null
    return {
      rpId: site,
      challenge: this.#parts.challenges.make(purpose),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
      allowCredentials: only.map(({ credential: id }) => ({ type: KEY, id })),
    }
  }

  /** Whether one is meant that works at this site; whether it is rightly shown, `shown` says. */
  knows(given: Pick<ShownPasskey, 'id'>, { name }: Site): boolean {
    return this.#parts.passkeys.byCredential(given.id)?.site === name
  }

  /** The passkey that was shown; null where it is nobody's, or not rightly shown for this purpose at this site. */
  async shown(given: ShownPasskey, { origin, name }: Site, purpose: string): Promise<Passkey | null> {
    const { passkeys, challenges } = this.#parts
    const known = passkeys.byCredential(given.id)
    // Before the library is loaded: a stranger, who knows no passkey's id, has nothing loaded and nothing computed.
    if (known === undefined || known.site !== name) return null
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    let challenge = ''
    const checked = await verifyAuthenticationResponse({
      response: { ...given, ...ANY },
      expectedChallenge: (each) => {
        challenge = each
        return challenges.holds(each, purpose)
      },
      expectedOrigin: origin,
      expectedRPID: name,
      credential: { id: known.credential, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
    }).catch(() => null)
    if (checked?.verified !== true || !challenges.answered(challenge)) return null
    // It may have been removed while it was checked.
    if (passkeys.get(known.id) === undefined) return null
    this.#used(known, checked.authenticationInfo.newCounter)
    return known
  }

  /** How one ends; null where there is none. */
  ending(id: string, of: (person: string) => string, cause: Cause): Revocation | null {
    const { passkeys, work, ended } = this.#parts
    const known = passkeys.get(id)
    if (known === undefined) return null
    const what = `passkey “${known.name}” of ${of(known.person)} removed`
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

  /** Where the disk does not take it, only one that does not count goes on: no copy of another must go unnoticed. */
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
      response: { ...made, ...ANY },
      expectedChallenge: (each) => {
        challenge = each
        return challenges.holds(each, makingBy(person.id))
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
