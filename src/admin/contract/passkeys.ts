import { z } from 'zod'
import { epochMs, text, whether, shape, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { unstored } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Limit of a binary field: the statement of a new passkey is the largest, and few have more than 2 KiB. */
const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8_192)
const bytes = (description: string) => base64url.describe(`${description} base64url.`)

/** A passkey assertion (WebAuthn section 5.1: AuthenticationResponseJSON); other fields are ignored. */
export const ShownPasskey = z
  .object({
    id: bytes('The id of the passkey.'),
    rawId: bytes('Same as `id`.'),
    response: z
      .object({
        clientDataJSON: bytes('Client data of the signature.'),
        authenticatorData: bytes('Data of the authenticator.'),
        signature: bytes('Signature over both.'),
      })
      .describe('The signed assertion.'),
  })
  .meta({ id: 'ShownPasskey', description: 'A passkey assertion: `toJSON()` of the browser’s credential. A secret.' })

/** A new passkey (WebAuthn section 5.1: RegistrationResponseJSON); other fields are ignored. */
const MadePasskey = z
  .object({
    id: bytes('The id of the passkey.'),
    rawId: bytes('Same as `id`.'),
    response: z
      .object({
        clientDataJSON: bytes('Client data of the creation.'),
        attestationObject: bytes('The new passkey.'),
      })
      .describe('The attestation.'),
  })
  .meta({ id: 'MadePasskey', description: 'A new passkey: `toJSON()` of the browser’s credential.' })

const challenge = text('Challenge to sign, valid once for five minutes. base64url.')
const timeout = z.int().describe('Milliseconds.')
const known = (description: string) =>
  listOf('A passkey.', () => ({
    type: z.literal('public-key').describe('Kind of credential.'),
    id: text('The id of the passkey. base64url.'),
  })).describe(description)

/** Options for the browser to show a passkey (WebAuthn: PublicKeyCredentialRequestOptionsJSON). */
export const RequestOptions = named('PasskeyRequest', 'Options to show a passkey, as JSON of WebAuthn.', () => ({
  challenge,
  rpId: text('Name of the gateway to which the passkey belongs.'),
  timeout,
  userVerification: z.literal('required').describe('A finger, a face or a PIN is required.'),
  allowCredentials: known('Allowed passkeys; empty: any.'),
}))

const CreationOptions = named('PasskeyCreation', 'Options to create a passkey, as JSON of WebAuthn.', () => ({
  challenge,
  rp: shape('Site of the passkey.', () => ({
    id: text('Name of the gateway for the passkey.'),
    name: text('Display name of the site.'),
  })),
  user: shape('Owner of the passkey.', () => ({
    id: text('The person, base64url.'),
    name: text('Name of the person.'),
    displayName: text('Same as `name`.'),
  })),
  pubKeyCredParams: listOf('A kind of key.', () => ({
    type: z.literal('public-key').describe('Kind of credential.'),
    alg: z.int().describe('Its number among the algorithms of COSE.'),
  })).describe('Accepted kinds of keys, best first.'),
  timeout,
  excludeCredentials: known('Existing passkeys.'),
  authenticatorSelection: shape('Requirements for the authenticator.', () => ({
    residentKey: z.literal('required').describe('The passkey names its person.'),
    requireResidentKey: whether('Same as `residentKey`, for older browsers.'),
    userVerification: z.literal('required').describe('A finger, a face or a PIN is required.'),
  })),
  attestation: z.literal('none').describe('No attestation of the authenticator’s maker.'),
}))

const Passkey = named('Passkey', 'A key of a person, stored on a device or in a password manager.', () => ({
  id: text('The id of the passkey.'),
  person: text('The id of its person.'),
  name: text('Its name from its person.'),
  site: text('Name of the gateway where it works.'),
  createdAt: epochMs('Time of creation.'),
  usedAt: z.int().nullable().describe('Time of the last use, epoch ms, or null.'),
}))
export type PasskeyView = Plain<z.output<typeof Passkey>>

/** Passkeys. A session creates them for its own person. */
export const passkeyEndpoints = {
  'passkeys.list': endpoint('GET', '/admin/v1/passkeys', {
    summary: 'The passkeys of all persons; those of a member alone',
    for: 'member',
    answer: looseObject(() => ({ passkeys: z.array(Passkey) })),
  }),
  'passkeys.options': endpoint('POST', '/admin/v1/passkeys/options', {
    summary: 'Options for the browser to create a passkey of the session’s person',
    for: 'member',
    stepUp: 'unless_first',
    answer: looseObject(() => ({ options: CreationOptions })),
  }),
  'passkeys.create': endpoint('POST', '/admin/v1/passkeys', {
    summary: 'Store a passkey that the browser created',
    for: 'member',
    status: 201,
    stepUp: 'unless_first',
    body: strictObject(() => ({ name: PlainName, passkey: MadePasskey })),
    answer: looseObject(() => ({ passkey: Passkey })),
    errors: ['unauthorized'],
  }),
  'passkeys.delete': endpoint('DELETE', '/admin/v1/passkeys/{id}', {
    summary: 'Remove a passkey; it no longer signs in',
    for: 'member',
    stepUp: true,
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    answer: looseObject(() => ({ deleted: text('The id of the passkey.'), ...unstored })),
    errors: ['not_found'],
  }),
} as const
