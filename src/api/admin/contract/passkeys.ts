import { z } from 'zod'
import { epochMs } from '../../contract/fields.ts'
import { PlainName } from '../../contract/shapes.ts'
import { endpoint, type Plain } from '../../endpoint.ts'
import { text } from './shapes.ts'

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

/** What a page hands to its browser. */
export const Options = z
  .record(z.string(), z.unknown())
  .meta({ description: 'What the browser takes, as JSON of WebAuthn. Its challenge holds five minutes, once.' })

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
    stepUp: true,
    answer: z.looseObject({ options: Options }),
  }),
  'passkeys.create': endpoint('POST', '/admin/v1/passkeys', {
    summary: 'Keep a passkey that the browser made',
    status: 201,
    stepUp: true,
    body: z.strictObject({ name: PlainName, passkey: MadePasskey }),
    answer: z.looseObject({ passkey: Passkey }),
    errors: ['unauthorized'],
  }),
  'passkeys.delete': endpoint('DELETE', '/admin/v1/passkeys/{id}', {
    summary: 'Remove a passkey: nobody comes in by it any more',
    stepUp: true,
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ deleted: text('The id of the passkey.') }),
    errors: ['not_found'],
  }),
} as const
