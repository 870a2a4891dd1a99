import { z } from 'zod'
import { epochMs, text, whether, shape, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { unstored } from './shapes.ts'

/** The largest part of what a browser answers is the statement of a new passkey, and few have more than 2 KiB. */
const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8_192)
const bytes = (description: string) => base64url.describe(`${description} base64url.`)

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
      .describe('What was signed.'),
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
      .describe('What was made.'),
  })
  .meta({ id: 'MadePasskey', description: 'A passkey as a browser made it: `toJSON()` of what it created.' })

const challenge = text('What is signed. It holds five minutes, once. base64url.')
const timeout = z.int().describe('Milliseconds.')
const known = (description: string) =>
  listOf('A passkey.', {
    type: z.literal('public-key').describe('What it is.'),
    id: text('Which. base64url.'),
  }).describe(description)

/** What a page hands to its browser to have a passkey shown (WebAuthn: PublicKeyCredentialRequestOptionsJSON). */
export const RequestOptions = named(
  'PasskeyRequest',
  'What the browser takes to show a passkey, as JSON of WebAuthn.',
  {
    challenge,
    rpId: text('The name that it was made for.'),
    timeout,
    userVerification: z.literal('required').describe('A finger, a face or a PIN is wanted.'),
    allowCredentials: known('Which may be shown; none: any.'),
  },
)

const CreationOptions = named('PasskeyCreation', 'What the browser takes to make a passkey, as JSON of WebAuthn.', {
  challenge,
  rp: shape('Where it will work.', {
    id: text('The name that it is for.'),
    name: text('What the browser calls that.'),
  }),
  user: shape('Whose it will be.', {
    id: text('The person, base64url.'),
    name: text('What they are called.'),
    displayName: text('The same.'),
  }),
  pubKeyCredParams: listOf('A kind of key.', {
    type: z.literal('public-key').describe('What it is.'),
    alg: z.int().describe('Its number among the algorithms of COSE.'),
  }).describe('The kinds of keys that are taken, the best first.'),
  timeout,
  excludeCredentials: known('Those that there are already.'),
  authenticatorSelection: shape('What its keeper must be able to do.', {
    residentKey: z.literal('required').describe('It names its person by itself.'),
    requireResidentKey: whether('The same, for older browsers.'),
    userVerification: z.literal('required').describe('A finger, a face or a PIN is wanted.'),
  }),
  attestation: z.literal('none').describe('Who made its keeper is not asked.'),
})

const Passkey = named('Passkey', 'A key of a person that a device or a password manager keeps.', {
  id: text('The id of the passkey.'),
  person: text('The id of its person.'),
  name: text('What its person calls it.'),
  site: text('At which name of the gateway it works.'),
  createdAt: epochMs('When it was made.'),
  usedAt: z.int().nullable().describe('When it was last used, epoch ms, or null.'),
})
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
