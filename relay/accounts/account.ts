import { z } from 'zod'
import { hashedId } from '../store/table.ts'

export const HOMES_PER_ACCOUNT_MAX = 32
export const EMAIL_LENGTH_MAX = 254
export const PASSWORD_LENGTH_MIN = 10
/** Longer passwords would only take longer to hash. */
export const PASSWORD_LENGTH_MAX = 256

/** Signed-in browsers of one account. */
export const SESSIONS_PER_ACCOUNT_MAX = 32
/** Known browsers of one account; the one with the oldest sign-in is forgotten first. */
export const DEVICES_PER_ACCOUNT_MAX = 32

export const PASSKEYS_MAX = 10
export const PASSKEY_NAME_LENGTH_MAX = 64

/** Public key of a passkey, whose private key stays in a device or password manager. */
export const Passkey = z.object({
  /** Id of the credential at the authenticator, base64url. */
  credential: z.string(),
  /** COSE (RFC 9052), base64url. */
  key: z.string(),
  /** Signature counter of the authenticator; many always send 0. */
  counter: z.int(),
  name: z.string(),
  createdAt: z.int(),
  usedAt: z.int().nullable(),
})
export type Passkey = z.infer<typeof Passkey>

const gateways = z.array(z.string()).max(HOMES_PER_ACCOUNT_MAX)

/** A person's account: linked to homes, whose administrators it can ask for access. */
export const Account = z.object({
  id: z.string(),
  email: z.string(),
  password: z.string(),
  /** Serials of linked homes; the gateway's record decides whether the link is valid. */
  gateways,
  /** Sessions with another epoch have ended. It starts at random, because an address may get a new account. */
  epoch: z.int(),
  createdAt: z.int(),
  /** Ids of sessions, the oldest first; a session without a row in the table `sessions` has ended. */
  sessions: z.array(z.string()).default([]),
  /** Hashes of the cookies of known devices, the latest sign-in last. */
  devices: z.array(z.string()).default([]),
  passkeys: z.array(Passkey).default([]),
})
export type Account = z.infer<typeof Account>

/** A signed-in browser; its id is the hash of its cookie. Sessions of earlier versions lack a description. */
export const Session = z.object({
  account: z.string(),
  epoch: z.int(),
  seenAt: z.int(),
  createdAt: z.int().nullable().default(null),
  /** `Firefox on Linux`. */
  browser: z.string().default(''),
  /** A shortened address. */
  place: z.string().default(''),
  /** Id of the passkey used to sign in; null for a password. */
  passkey: z.string().nullable().default(null),
})
export type Session = z.infer<typeof Session>

/** Account of a passkey, by the hash of the credential's id. */
export const PasskeyOwner = z.object({ account: z.string() })
export type PasskeyOwner = z.infer<typeof PasskeyOwner>

/** A pending challenge of WebAuthn; its id is the hash of the challenge. */
export const Challenge = z.object({ purpose: z.string() })
export type Challenge = z.infer<typeof Challenge>

/** `by` is an account, or null for the first account's link. `usedBy` is the account that is being created. */
export const Invite = z.object({ by: z.string().nullable(), at: z.int(), usedBy: z.string().nullable().default(null) })
export type Invite = z.infer<typeof Invite>

/** A link for resetting a password; invalid once the password changes. */
export const Reset = z.object({ account: z.string(), epoch: z.int() })
export type Reset = z.infer<typeof Reset>

/** Record of the first account of the relay. */
export const FirstAccount = z.object({ at: z.int(), account: z.string().optional() })
export type FirstAccount = z.infer<typeof FirstAccount>

/** Invisible characters and lone surrogates: addresses that differ only by them look the same. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const compatible = (text: string): string => text.normalize('NFKC').replaceAll(INVISIBLE, '').trim()

/** Normal form of an e-mail address: lower case, NFKC, without invisible characters. Mail servers ignore the case. */
export const normalEmail = (email: string): string => compatible(compatible(email).toLowerCase())

export const accountId = (email: string): string => hashedId(`account ${normalEmail(email)}`)

/** Id in earlier versions, which did not remove invisible characters. */
export const earlierAccountId = (email: string): string => hashedId(`account ${email.trim().toLowerCase()}`)

/** Checks only the form: the relay sends no mail, and uses the address as a name. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && /^[^\s@<>"'\p{Cc}]+@[^\s@<>"'\p{Cc}]+$/u.test(normalEmail(text))
}

/** Reason why a password is refused, in one sentence, or null. */
export function passwordProblem(password: string, email: string): string | null {
  if (password.length < PASSWORD_LENGTH_MIN) return `The password needs at least ${PASSWORD_LENGTH_MIN} characters.`
  if (password.length > PASSWORD_LENGTH_MAX) return `The password may have at most ${PASSWORD_LENGTH_MAX} characters.`
  if (normalEmail(password) === normalEmail(email)) return 'The password must not be the e-mail address.'
  if (new Set(password).size < 4) return 'The password needs at least 4 different characters.'
  return null
}
