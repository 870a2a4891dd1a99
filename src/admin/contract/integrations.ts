import { z } from 'zod'
import { Settings, SomeSettings } from '../../api/contract/knobs.ts'
import { epochMs, text, whether, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { home } from '../../api/contract/home.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { raisesKnobs } from '../../exposure/integration-admin.ts'
import { unstored } from './shapes.ts'
import { OPERATOR_SCOPES } from '../../auth/operators/operators.ts'

const Expose = z
  .array(z.string().max(100))
  .min(1)
  .max(5_000)
  .describe('`all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`.')

/** The OAuth client of an agent on a hosted platform. */
export const Hosted = named('HostedClient', 'The OAuth client of an agent on a hosted platform.', {
  id: text('The OAuth client id.'),
  redirectHost: text('The host that the answer to its request goes to.'),
  proved: whether('Whether its name is proved by the domain of its id; else it has named itself.'),
  account: text('The account at the relay whose user asked.'),
  door: text('What its tokens are for: `mcp`, or `mcp/r/{integration}`.'),
})
export type HostedView = Plain<z.output<typeof Hosted>>

/** A credential of any kind; the secret is nowhere. */
export const Credential = named('Credential', 'What a program or agent comes in with, without its secret.', {
  link: text('The id of the credential.'),
  integration: text('The id of its integration.'),
  kind: z.enum(['key', 'agent', 'session']).describe('What kind of credential it is.'),
  name: text('What it is called; may be empty.'),
  platform: text('Where the agent runs; empty for a key.'),
  client: Hosted.nullable(),
  label: text('As the activity log names it.'),
  state: z
    .enum(['active', 'suspended', 'expired', 'ended', 'disabled'])
    .describe('Whether it can be used now, or why not.'),
  stale: whether('Whether it was not used for a long time.'),
  createdAt: epochMs('When it was made.'),
  branches: count(
    'Of an agent on a hosted platform: number of refresh tokens that could be exchanged next. More than one means several machines, or a copied token.',
  ).optional(),
  streams: count('Number of streams that are open by it now.'),
  lastUsed: shape('Its last use.', {
    at: epochMs('When it was used.'),
    via: z.enum(['home', 'cloud']).describe('Which way it came.'),
  }).nullable(),
})
export type CredentialView = Plain<z.output<typeof Credential>>

/** Fields that hand a new credential over; the token is shown this once. */
export const NewCredential = {
  token: text('The token, shown this once. A secret.'),
  link: text('The id of the credential.'),
  fingerprint: text("SHA-256 of the gateway's CA."),
  connectionCode: text('Addresses, fingerprint and token as one text, for clients. As secret as the token.'),
}

const House = home['house.get'].answer
const NamedHouse = House.extend({ house: text('The name of the home.') })
export type SeenHouse = Plain<z.output<typeof NamedHouse>>

const Integration = named('Integration', 'What programs or agents may see and do.', {
  id: text('The id of the integration.'),
  name: text('What it is called.'),
  enabled: whether('False: nobody comes in by it.'),
  expose: z.array(z.string()).describe('`all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`.'),
  settings: Settings,
  createdAt: epochMs('When it was made.'),
  revision: text('Another text after each change of it; for `ifRevision`.'),
  credentials: z.array(Credential).describe('What it can be come in with.'),
})
export type IntegrationView = Plain<z.output<typeof Integration>>

/** In the answer to what ends somebody's leave to open. */
export const leaveEnds = {
  switchedOff: z
    .array(z.string())
    .optional()
    .describe('Automations and schedules that open a lock or gate, and whose author may no more.'),
  scenesRefused: z
    .array(z.string())
    .optional()
    .describe('Scenes of the same kind: running them is refused to everybody while their author may not.'),
}

const KnobsOff = z
  .array(z.string())
  .optional()
  .describe('Knobs that go off by themselves: the new exposure does not offer them.')

const Change = z.strictObject({
  name: PlainName.optional(),
  settings: SomeSettings.describe('Knobs to change.').optional(),
  expose: Expose.optional(),
  enabled: whether('False: nobody comes in by it.').optional(),
})
export type ChangeBody = z.output<typeof Change>

const ChangeOfRevision = Change.extend({
  ifRevision: z
    .string()
    .max(64)
    .optional()
    .describe('The revision that was read: refused where somebody has changed the integration since.'),
})

/** True if the body alone lets programs do more; the handler compares the rest with the stored integration. */
function opensMore(body: unknown): boolean {
  const { settings, enabled } = body as Pick<ChangeBody, 'settings' | 'enabled'>
  return enabled === true || raisesKnobs(settings ?? {})
}

export const Shown = named('Shown', 'Something of the home that an integration shows.', {
  kind: z
    .enum(['floor', 'room', 'unit', 'module', 'whole_module', 'gang', 'scene', 'automation', 'schedule'])
    .describe('`whole_module`: the sensor and settings of a module, beside its gangs.'),
  id: text('The local id; of a gang that of its module, a colon and its number.'),
  name: text('What it is called.'),
})
export type ShownThing = Plain<z.output<typeof Shown>>

const State = Credential.shape.state
const Preview = z.looseObject({
  integration: Integration.describe('As it would be.'),
  appears: z.array(Shown).describe('What it does not show now and would.'),
  disappears: z.array(Shown).describe('What it shows now and would not.'),
  changes: listOf('A knob with its values.', {
    what: text('A knob, or `enabled`.'),
    from: text('Its value now.'),
    to: text('Its value then.'),
    means: text('One sentence about what holds then.'),
  }).describe('Knobs that would have another value.'),
  credentials: listOf('A credential with its states.', {
    link: text('The id of the credential.'),
    label: text('As the activity log names it.'),
    from: State,
    to: State,
  }).describe('Credentials that would be in another state.'),
  ...leaveEnds,
  knobsOff: KnobsOff,
})
export type IntegrationPreview = Plain<z.output<typeof Preview>>

const OneIntegration = z.looseObject({ integration: Integration })

export const integrations = {
  'integrations.list': endpoint('GET', '/admin/v1/integrations', {
    summary: 'All integrations with what they show and may do',
    answer: z.looseObject({ integrations: z.array(Integration) }),
  }),
  'integrations.create': endpoint('POST', '/admin/v1/integrations', {
    summary: 'Create an integration',
    status: 201,
    stepUp: opensMore,
    body: z.strictObject({
      name: PlainName,
      expose: Expose.optional(),
      settings: SomeSettings.describe('Knobs that differ from their defaults.').optional(),
    }),
    answer: OneIntegration,
  }),
  'integrations.show': endpoint('GET', '/admin/v1/integrations/{id}', {
    summary: 'One integration with its credentials',
    answer: OneIntegration,
    errors: ['not_found'],
  }),
  'integrations.change': endpoint('PATCH', '/admin/v1/integrations/{id}', {
    summary: 'Change its name, knobs, exposure, or whether it is enabled',
    stepUp: opensMore,
    body: ChangeOfRevision,
    answer: z.looseObject({ integration: Integration, ...leaveEnds, ...unstored, knobsOff: KnobsOff }),
    errors: ['not_found', 'revision_mismatch'],
  }),
  'integrations.preview': endpoint('POST', '/admin/v1/integrations/{id}/preview', {
    summary: 'What such a change would do; nothing is changed',
    body: Change,
    reads: true,
    answer: Preview,
    errors: ['not_found'],
  }),
  'integrations.previewHouse': endpoint('POST', '/admin/v1/integrations/{id}/preview/house', {
    summary: 'The house as `GET /v1/house` would show it to its programs after such a change; nothing is changed',
    body: Change,
    reads: true,
    answer: NamedHouse,
    errors: ['not_found'],
  }),
  'integrations.delete': endpoint('DELETE', '/admin/v1/integrations/{id}', {
    summary: 'Delete it with its credentials',
    stepUp: true,
    answer: z.looseObject({ deleted: text('The id of the integration.'), ...leaveEnds, ...unstored }),
    errors: ['not_found'],
  }),
} as const

export const keys = {
  'keys.list': endpoint('GET', '/admin/v1/keys', {
    summary: 'All credentials, without their secrets',
    answer: z.looseObject({ keys: z.array(Credential) }),
  }),
  'keys.show': endpoint('GET', '/admin/v1/keys/{id}', {
    summary: 'One credential, and what would end with it',
    answer: z.looseObject({ key: Credential, ...leaveEnds }),
    errors: ['not_found'],
  }),
  'keys.create': endpoint('POST', '/admin/v1/keys', {
    summary: 'Create a key; its token is shown this once',
    status: 201,
    stepUp: true,
    body: z.strictObject({
      integration: text('The id of its integration.'),
      name: z.string().trim().max(64).default('').describe('What it is called.'),
    }),
    answer: z.looseObject(NewCredential),
    errors: ['not_found'],
  }),
  'keys.revoke': endpoint('DELETE', '/admin/v1/keys/{id}', {
    summary: 'Revoke a credential by its link',
    answer: z.looseObject({ revoked: text('The link of the credential.'), ...leaveEnds, ...unstored }),
    errors: ['not_found'],
  }),
} as const

const Scopes = z
  .array(z.enum(OPERATOR_SCOPES))
  .min(1)
  .max(OPERATOR_SCOPES.length)
  .describe('What it lets do: read the metrics, fetch backups.')

const Operator = named('Operator', 'A program that looks after the gateway, and sees nothing of the home.', {
  id: text('The id of the token.'),
  name: text('What it is called.'),
  scopes: Scopes,
  createdAt: epochMs('When it was made.'),
  usedAt: z.int().nullable().describe('When it was last used, epoch ms, to the hour, or null.'),
})
export type OperatorView = Plain<z.output<typeof Operator>>

/** Tokens of programs that look after the gateway. */
export const operators = {
  'operators.list': endpoint('GET', '/admin/v1/operators', {
    summary: 'The tokens of programs that look after the gateway, without their secrets',
    answer: z.looseObject({ operators: z.array(Operator) }),
  }),
  'operators.create': endpoint('POST', '/admin/v1/operators', {
    summary: 'Make an operator token; it is shown this once',
    status: 201,
    stepUp: true,
    body: z.strictObject({ name: PlainName, scopes: Scopes }),
    answer: z.looseObject({ token: text('The token. A secret.'), operator: Operator }),
  }),
  'operators.delete': endpoint('DELETE', '/admin/v1/operators/{id}', {
    summary: 'End an operator token at once',
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ deleted: text('The id of the token.'), ...unstored }),
    errors: ['not_found'],
  }),
} as const
