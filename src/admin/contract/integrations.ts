import { INTEGRATION_KINDS, OPENINGS, PEOPLE_SHOWN, WEEK_TIME } from '../../exposure/knobs.ts'
import { END_MAX, HOURS_MAX } from '../../exposure/hours.ts'
import { z } from 'zod'
import { Settings, SomeSettings } from '../../api/contract/knobs.ts'
import { epochMs, text, textOrNull, whether, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { home } from '../../api/contract/home.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { PERSONS_MAX } from '../../auth/persons/person.ts'
import { raisesKnobs } from '../../exposure/integration-admin.ts'
import { unstored } from './shapes.ts'
import { OPERATOR_SCOPES } from '../../auth/operators/operators.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

export const Expose = z
  .array(z.string().max(100))
  .min(1)
  .max(5_000)
  .describe(
    '`all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`.',
  )

export const People = z
  .enum(PEOPLE_SHOWN)
  .describe('Visibility of people: none, only whether anyone is home, or each by name.')
export const OpeningShape = z
  .enum(OPENINGS)
  .describe('With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask.')
const Reports = z
  .array(z.string().max(20))
  .max(PERSONS_MAX)
  .describe('The ids of the persons whose presence it may report.')

const WeekTime = (what: string) =>
  z
    .string()
    .regex(WEEK_TIME, 'is not a time of the week such as "fri 16:00"')
    .describe(`${what}, by the clock of the home: \`fri 16:00\`.`)
const Window = strictObject(() => ({ from: WeekTime('Its beginning'), until: WeekTime('Its end') })).describe(
  'A part of the week.',
)
export const Hours = z
  .array(Window)
  .max(HOURS_MAX)
  .describe('The parts of the week in which its requests are served; empty: always. They do not overlap.')
export const Until = epochMs('Its requests are refused from this time on; null: no end.').min(0).max(END_MAX).nullable()

/** The OAuth client of an agent on a hosted platform. */
export const Hosted = named('HostedClient', 'The OAuth client of an agent on a hosted platform.', () => ({
  id: text('The OAuth client id.'),
  redirectHost: text('Host of its redirect address.'),
  proved: whether('True if the domain of its id proves its name; else the name is its own claim.'),
  account: text('The requesting account at the relay.'),
  door: text('Audience of its tokens: `mcp`, or `mcp/r/{integration}`.'),
}))
export type HostedView = Plain<z.output<typeof Hosted>>

const State = z
  .enum(['active', 'suspended', 'expired', 'ended', 'disabled'])
  .describe('`active`, or the reason why it cannot be used.')

/** A credential of any kind without its secret. */
export const Credential = named('Credential', 'The credential of a program or agent, without its secret.', () => ({
  link: text('The id of the credential.'),
  integration: text('The id of its integration.'),
  kind: z.enum(['key', 'agent', 'session']).describe('Kind of credential.'),
  name: text('Its name; may be empty.'),
  platform: text('Platform on which the agent runs; empty for a key.'),
  client: Hosted.nullable(),
  label: text('Its name in the activity.'),
  state: State,
  stale: whether('True if it was not used for a long time.'),
  createdAt: epochMs('Time of creation.'),
  branches: count(
    'For an agent on a hosted platform: number of refresh tokens that could be exchanged next. More than one means several machines, or a copied token.',
  ).optional(),
  streams: count('Number of its open streams.'),
  lastUsed: shape('Its last use.', () => ({
    at: epochMs('Time of the last use.'),
    via: z.enum(['home', 'cloud']).describe('Origin of the last use: home network or relay.'),
  })).nullable(),
}))
export type CredentialView = Plain<z.output<typeof Credential>>

/** Fields of a new credential; its token is shown once. */
export const NewCredential = {
  token: text('The token, shown once. A secret.'),
  link: text('The id of the credential.'),
  fingerprint: text("SHA-256 of the gateway's CA."),
  connectionCode: text('Addresses, fingerprint and token as one text, for clients. As secret as the token.'),
}

const House = home['house.get'].answer
const NamedHouse = looseObject(() => ({ ...House.shape, house: text('The name of the home.') }))
export type SeenHouse = Plain<z.output<typeof NamedHouse>>

const Integration = named('Integration', 'Exposure and permissions of programs or agents.', () => ({
  id: text('The id of the integration.'),
  name: text('Its name.'),
  enabled: whether('False: its requests are refused.'),
  expose: z
    .array(z.string())
    .describe(
      '`all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`.',
    ),
  settings: Settings,
  people: People,
  reports: Reports,
  until: Until,
  hours: Hours,
  state: z
    .enum(['served', 'disabled', 'outside_hours', 'ended', 'clock_doubted'])
    .describe('`served`, or the reason why its requests are refused now.'),
  opensAt: epochMs('Outside its hours: the beginning of the next ones, or null.').nullable(),
  kind: z.enum(INTEGRATION_KINDS).describe('Its users: programs with keys, the person below, or a wall tablet.'),
  person: textOrNull('The id of the member whose record it is, or null.'),
  opening: OpeningShape,
  createdAt: epochMs('Time of creation.'),
  revision: text('Differs after each change; for `ifRevision`.'),
  credentials: z.array(Credential).describe('Its credentials.'),
}))
export type IntegrationView = Plain<z.output<typeof Integration>>

/** Fields of the response to a change that ends somebody's permission to open. */
export const leaveEnds = {
  switchedOff: z
    .array(z.string())
    .optional()
    .describe(
      'Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so.',
    ),
  scenesRefused: z
    .array(z.string())
    .optional()
    .describe('Scenes of the same kind: nobody can run them while their author may not open.'),
  groupRules: z
    .array(z.string())
    .optional()
    .describe(
      'Automations and schedules that a deletion switches off: their groups have the devices that the integration sees.',
    ),
}

const KnobsOff = z
  .array(z.string())
  .optional()
  .describe('Knobs that go off because the new exposure does not offer them.')

const Change = strictObject(() => ({
  name: PlainName.optional(),
  settings: SomeSettings.describe('Knobs to change.').optional(),
  expose: Expose.optional(),
  people: People.optional(),
  reports: Reports.optional(),
  until: Until.optional(),
  hours: Hours.optional(),
  opening: OpeningShape.optional(),
  enabled: whether('False: its requests are refused.').optional(),
}))
export type ChangeBody = z.output<typeof Change>

const ChangeOfRevision = strictObject(() => ({
  ...Change.shape,
  ifRevision: z
    .string()
    .max(64)
    .optional()
    .describe('The revision of the last read: refused if the integration has changed since.'),
}))

/** True if the body alone permits more; the handler compares the rest with the stored integration. */
function opensMore(body: unknown): boolean {
  const { settings, enabled, people = 'none', reports = [] } = body as Partial<ChangeBody>
  return enabled === true || raisesKnobs(settings ?? {}) || people !== 'none' || reports.length > 0
}

export const Shown = named('Shown', 'A thing of the home that an integration shows.', () => ({
  kind: z
    .enum([
      'floor',
      'room',
      'unit',
      'module',
      'whole_module',
      'gang',
      'scene',
      'group',
      'mode',
      'person',
      'calendar',
      'automation',
      'schedule',
    ])
    .describe('`whole_module`: the sensor and settings of a module, in addition to its gangs.'),
  id: text("The local id; for a gang its module's id, a colon and its number."),
  name: text('Its name.'),
}))
export type ShownThing = Plain<z.output<typeof Shown>>

const Preview = looseObject(() => ({
  integration: Integration.describe('The integration after the change.'),
  appears: z.array(Shown).describe('Things that it would show in addition.'),
  disappears: z.array(Shown).describe('Things that it would no longer show.'),
  changes: listOf('A knob with its values.', () => ({
    what: text('A knob, `enabled`, `reports`, `opening`, `until` or `hours`.'),
    from: text('Its present value.'),
    to: text('Its future value.'),
    means: text('Meaning of the future value in one sentence.'),
  })).describe('Knobs that would change.'),
  credentials: listOf('A credential with its states.', () => ({
    link: text('The id of the credential.'),
    label: text('Its name in the activity.'),
    from: State,
    to: State,
  })).describe('Credentials whose state would change.'),
  ...leaveEnds,
  knobsOff: KnobsOff,
}))
export type IntegrationPreview = Plain<z.output<typeof Preview>>

export const OneIntegration = looseObject(() => ({ integration: Integration }))

export const integrations = {
  'integrations.list': endpoint('GET', '/admin/v1/integrations', {
    summary: 'All integrations with exposure and permissions',
    answer: looseObject(() => ({ integrations: z.array(Integration) })),
  }),
  'integrations.create': endpoint('POST', '/admin/v1/integrations', {
    summary: 'Create an integration',
    status: 201,
    stepUp: opensMore,
    body: strictObject(() => ({
      name: PlainName,
      expose: Expose.optional(),
      settings: SomeSettings.describe('Knobs that differ from their defaults.').optional(),
      people: People.optional(),
      reports: Reports.optional(),
      until: Until.optional(),
      hours: Hours.optional(),
      opening: OpeningShape.optional(),
    })),
    answer: OneIntegration,
  }),
  'integrations.show': endpoint('GET', '/admin/v1/integrations/{id}', {
    summary: 'One integration with its credentials',
    answer: OneIntegration,
    errors: ['not_found'],
  }),
  'integrations.change': endpoint('PATCH', '/admin/v1/integrations/{id}', {
    summary: 'Change its name, knobs or exposure, or enable or disable it',
    stepUp: opensMore,
    body: ChangeOfRevision,
    answer: looseObject(() => ({ integration: Integration, ...leaveEnds, ...unstored, knobsOff: KnobsOff })),
    errors: ['not_found', 'revision_mismatch'],
  }),
  'integrations.preview': endpoint('POST', '/admin/v1/integrations/{id}/preview', {
    summary: 'Preview such a change; nothing is changed',
    body: Change,
    reads: true,
    answer: Preview,
    errors: ['not_found'],
  }),
  'integrations.previewHouse': endpoint('POST', '/admin/v1/integrations/{id}/preview/house', {
    summary: 'Preview `GET /v1/house` for its programs after such a change; nothing is changed',
    body: Change,
    reads: true,
    answer: NamedHouse,
    errors: ['not_found'],
  }),
  'integrations.delete': endpoint('DELETE', '/admin/v1/integrations/{id}', {
    summary: 'Delete it with its credentials; the record of a member goes with its person alone',
    stepUp: true,
    answer: looseObject(() => ({
      deleted: text('The id of the integration.'),
      ...leaveEnds,
      ...unstored,
    })),
    errors: ['not_found'],
  }),
} as const

export const keys = {
  'keys.list': endpoint('GET', '/admin/v1/keys', {
    summary: 'All credentials, without their secrets',
    answer: looseObject(() => ({ keys: z.array(Credential) })),
  }),
  'keys.show': endpoint('GET', '/admin/v1/keys/{id}', {
    summary: 'One credential, and the permissions that would end with it',
    answer: looseObject(() => ({ key: Credential, ...leaveEnds })),
    errors: ['not_found'],
  }),
  'keys.create': endpoint('POST', '/admin/v1/keys', {
    summary: 'Create a key; its token is shown once',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({
      integration: text('The id of its integration.'),
      name: z.string().trim().max(64).default('').describe('Its name.'),
    })),
    answer: z.looseObject(NewCredential),
    errors: ['not_found'],
  }),
  'keys.revoke': endpoint('DELETE', '/admin/v1/keys/{id}', {
    summary: 'Revoke a credential by its link',
    answer: looseObject(() => ({ revoked: text('The link of the credential.'), ...leaveEnds, ...unstored })),
    errors: ['not_found'],
  }),
} as const

const Scopes = z
  .array(z.enum(OPERATOR_SCOPES))
  .min(1)
  .max(OPERATOR_SCOPES.length)
  .describe('Permissions: read the metrics, fetch backups.')

const Operator = named('Operator', 'A program that operates the gateway without seeing the home.', () => ({
  id: text('The id of the token.'),
  name: text('Its name.'),
  scopes: Scopes,
  createdAt: epochMs('Time of creation.'),
  usedAt: z.int().nullable().describe('Time of the last use, epoch ms, to the hour, or null.'),
}))
export type OperatorView = Plain<z.output<typeof Operator>>

/** Tokens of programs that operate the gateway. */
export const operators = {
  'operators.list': endpoint('GET', '/admin/v1/operators', {
    summary: 'Operator tokens, without their secrets',
    answer: looseObject(() => ({ operators: z.array(Operator) })),
  }),
  'operators.create': endpoint('POST', '/admin/v1/operators', {
    summary: 'Create an operator token; it is shown once',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({ name: PlainName, scopes: Scopes })),
    answer: looseObject(() => ({ token: text('The token. A secret.'), operator: Operator })),
  }),
  'operators.delete': endpoint('DELETE', '/admin/v1/operators/{id}', {
    summary: 'Revoke an operator token at once',
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    answer: looseObject(() => ({ deleted: text('The id of the token.'), ...unstored })),
    errors: ['not_found'],
  }),
} as const
