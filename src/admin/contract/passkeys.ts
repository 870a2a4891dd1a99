import { z } from 'zod'
import { epochMs } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { text, unstored, whether } from './shapes.ts'

/** The largest part of what a browser answers is the statement of a new passkey, and few have more than 2 KiB. */
const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8_192)
const bytes = (description: string) => base64url.meta({ description: `${description} base64url.` })

/** As a browser shows one (WebAuthn section 5.1: AuthenticationResponseJSON); what else it says is not looked at. */
export const ShownPasskey = z
  .object({
    id: bytes('Which passkey it is.'),
    rawId: bytes('The same.'),
    response: z
      .object({
        clientDataJSON: bytes('What the browser signed for.'),
        authenticatorData: bytes('What the authenticator says of itself.'),
        signature: bytes('Over both.'),
      })
      .meta({ description: 'What was signed.' }),
  })
  .meta({ id: 'ShownPasskey', description: 'A passkey as a browser shows it: `toJSON()` of what it got. A secret.' })

/** As a browser made one (WebAuthn section 5.1: RegistrationResponseJSON); what else it says is not looked at. */
const MadePasskey = z
  .object({
    id: bytes('Which passkey it is.'),
    rawId: bytes('The same.'),
    response: z
      .object({
        clientDataJSON: bytes('What the browser made it for.'),
        attestationObject: bytes('The new passkey.'),
      })
      .meta({ description: 'What was made.' }),
  })
  .meta({ id: 'MadePasskey', description: 'A passkey as a browser made it: `toJSON()` of what it created.' })

const challenge = text('What is signed. It holds five minutes, once. base64url.')
const timeout = z.int().meta({ description: 'Milliseconds.' })
const known = (description: string) =>
  z
    .array(
      z
        .looseObject({
          type: z.literal('public-key').meta({ description: 'What it is.' }),
          id: text('Which. base64url.'),
        })
        .meta({ description: 'A passkey.' }),
    )
    .meta({ description })

/** What a page hands to its browser to have a passkey shown (WebAuthn: PublicKeyCredentialRequestOptionsJSON). */
export const RequestOptions = z
  .looseObject({
    challenge,
    rpId: text('The name that it was made for.'),
    timeout,
    userVerification: z.literal('required').meta({ description: 'A finger, a face or a PIN is wanted.' }),
    allowCredentials: known('Which may be shown; none: any.'),
  })
  .meta({ id: 'PasskeyRequest', description: 'What the browser takes to show a passkey, as JSON of WebAuthn.' })

const CreationOptions = z
  .looseObject({
    challenge,
    rp: z
      .looseObject({ id: text('The name that it is for.'), name: text('What the browser calls that.') })
      .meta({ description: 'Where it will work.' }),
    user: z
      .looseObject({
        id: text('The person, base64url.'),
        name: text('What they are called.'),
        displayName: text('The same.'),
      })
      .meta({ description: 'Whose it will be.' }),
    pubKeyCredParams: z
      .array(
        z
          .looseObject({
            type: z.literal('public-key').meta({ description: 'What it is.' }),
            alg: z.int().meta({ description: 'Its number among the algorithms of COSE.' }),
          })
          .meta({ description: 'A kind of key.' }),
      )
      .meta({ description: 'The kinds of keys that are taken, the best first.' }),
    timeout,
    excludeCredentials: known('Those that there are already.'),
    authenticatorSelection: z
      .looseObject({
        residentKey: z.literal('required').meta({ description: 'It names its person by itself.' }),
        requireResidentKey: whether('The same, for older browsers.'),
        userVerification: z.literal('required').meta({ description: 'A finger, a face or a PIN is wanted.' }),
      })
      .meta({ description: 'What its keeper must be able to do.' }),
    attestation: z.literal('none').meta({ description: 'Who made its keeper is not asked.' }),
  })
  .meta({ id: 'PasskeyCreation', description: 'What the browser takes to make a passkey, as JSON of WebAuthn.' })

const Passkey = z
  .looseObject({
    id: text('The id of the passkey.'),
    person: text('The id of its person.'),
    name: text('What its person calls it.'),
    site: text('At which name of the gateway it works.'),
    createdAt: epochMs('When it was made.'),
    usedAt: z.int().nullable().meta({ description: 'When it was last used, epoch ms, or null.' }),
  })
  .meta({ id: 'Passkey', description: 'A key of a person that a device or a password manager keeps.' })
export type PasskeyView = Plain<z.output<typeof Passkey>>

/** Keys of persons that their devices keep. A session makes them for its own person. */
export const passkeyEndpoints = {
  'passkeys.list': endpoint('GET', '/admin/v1/passkeys', {
    summary: 'The passkeys of all persons',
    answer: z.looseObject({ passkeys: z.array(Passkey) }),
  }),
  'passkeys.options': endpoint('POST', '/admin/v1/passkeys/options', {
    summary: 'What the browser takes to make a passkey of the session’s person',
    stepUp: 'unless_first',
    answer: z.looseObject({ options: CreationOptions }),
  }),
  'passkeys.create': endpoint('POST', '/admin/v1/passkeys', {
    summary: 'Keep a passkey that the browser made',
    status: 201,
    stepUp: 'unless_first',
    body: z.strictObject({ name: PlainName, passkey: MadePasskey }),
    answer: z.looseObject({ passkey: Passkey }),
    errors: ['unauthorized'],
  }),
  'passkeys.delete': endpoint('DELETE', '/admin/v1/passkeys/{id}', {
    summary: 'Remove a passkey: nobody comes in by it any more',
    stepUp: true,
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ deleted: text('The id of the passkey.'), ...unstored }),
    errors: ['not_found'],
  }),
} as const
