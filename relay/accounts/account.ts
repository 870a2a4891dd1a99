import { z } from 'zod'
import { hashedId } from '../store/table.ts'

export const HOMES_PER_ACCOUNT_MAX = 32
export const EMAIL_LENGTH_MAX = 254
export const PASSWORD_LENGTH_MIN = 10
/** Longer ones would only cost time. */
export const PASSWORD_LENGTH_MAX = 256

/** Browsers that are signed in to one account. */
export const SESSIONS_PER_ACCOUNT_MAX = 32
/** Browsers that one account knows; the one that signed in longest ago is forgotten. */
export const DEVICES_PER_ACCOUNT_MAX = 32

export const PASSKEYS_MAX = 10
export const PASSKEY_NAME_LENGTH_MAX = 64

/** Public half of a key that a device or a password manager keeps. */
export const Passkey = z.object({
  /** Its id at the authenticator, base64url. */
  credential: z.string(),
  /** COSE (RFC 9052), base64url. */
  key: z.string(),
  /** The authenticator's own count of uses; many always send 0. */
  counter: z.int(),
  name: z.string(),
  createdAt: z.int(),
  usedAt: z.int().nullable(),
})
export type Passkey = z.infer<typeof Passkey>

const gateways = z.array(z.string()).max(HOMES_PER_ACCOUNT_MAX)

/** Who signs in at the relay: linked to homes, and able to ask their administrators; never to approve. */
export const Account = z.object({
  id: z.string(),
  email: z.string(),
  password: z.string(),
  /** Serials of the homes that the account is linked to; who is really linked says the gateway's entry. */
  gateways,
  /** Sessions of another number have ended. It begins at random: an address may have an account once more. */
  epoch: z.int(),
  createdAt: z.int(),
  /** Ids of sessions, in the order in which they began; a row of the table `sessions` that is gone has ended. */
  sessions: z.array(z.string()).default([]),
  /** Hashes of the cookies of known devices, the one that signed in last at the end. */
  devices: z.array(z.string()).default([]),
  passkeys: z.array(Passkey).default([]),
})
export type Account = z.infer<typeof Account>

/** A browser that is signed in; its id is the hash of its cookie. Those of earlier versions lack a description. */
export const Session = z.object({
  account: z.string(),
  epoch: z.int(),
  seenAt: z.int(),
  createdAt: z.int().nullable().default(null),
  /** `Firefox on Linux`. */
  browser: z.string().default(''),
  /** A shortened address. */
  place: z.string().default(''),
  /** The passkey that began it; null: another way did. */
  passkey: z.string().nullable().default(null),
})
export type Session = z.infer<typeof Session>

/** The account of a passkey, by the hash of its credential's id. */
export const PasskeyOwner = z.object({ account: z.string() })
export type PasskeyOwner = z.infer<typeof PasskeyOwner>

/** A question to an authenticator that is not answered yet; its id is the hash of the challenge. */
export const Challenge = z.object({ purpose: z.string() })
export type Challenge = z.infer<typeof Challenge>

/** `by` is an account, or null for the link that makes the first one; `usedBy` the account that is being made with it. */
export const Invite = z.object({ by: z.string().nullable(), at: z.int(), usedBy: z.string().nullable().default(null) })
export type Invite = z.infer<typeof Invite>

/** By which the account's password is set anew, unless it was changed since. */
export const Reset = z.object({ account: z.string(), epoch: z.int() })
export type Reset = z.infer<typeof Reset>

/** What there is once: the first account that was made. */
export const FirstAccount = z.object({ at: z.int(), account: z.string().optional() })
export type FirstAccount = z.infer<typeof FirstAccount>

/** Characters that show nothing, and lone halves of a pair: two addresses that differ by them alone look the same. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const compatible = (text: string): string => text.normalize('NFKC').replaceAll(INVISIBLE, '').trim()

/**
 * One form of an e-mail address: small letters, compatible characters (NFKC), no invisible ones. Mail servers in use
 * ignore the case.
 */
export const normalEmail = (email: string): string => compatible(compatible(email).toLowerCase())

/** One address is one account. */
export const accountId = (email: string): string => hashedId(`account ${normalEmail(email)}`)

/** Id of an account from the time when invisible characters counted; the same as `accountId` without them. */
export const earlierAccountId = (email: string): string => hashedId(`account ${email.trim().toLowerCase()}`)

/** A look at the form alone: the relay sends no mail, an address is a name that people know by heart. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && /^[^\s@<>"'\p{Cc}]+@[^\s@<>"'\p{Cc}]+$/u.test(normalEmail(text))
}

/** Why a password is not taken, in one sentence; null where it is. */
export function passwordProblem(password: string, email: string): string | null {
  if (password.length < PASSWORD_LENGTH_MIN) return `The password needs at least ${PASSWORD_LENGTH_MIN} characters.`
  if (password.length > PASSWORD_LENGTH_MAX) return `The password has at most ${PASSWORD_LENGTH_MAX} characters.`
  if (normalEmail(password) === normalEmail(email)) return 'The password must not be the e-mail address.'
  if (new Set(password).size < 4) return 'The password needs at least 4 different characters.'
  return null
}
