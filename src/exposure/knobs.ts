/**
 * The permissions of an integration: the eight knobs of Spec 2.1, and may_tell. They are read fresh from the store on
 * every request.
 */
export const KNOB_VALUES = {
  advanced_config: ['off', 'read', 'read_write'],
  structural: ['off', 'on'],
  automations: ['off', 'on'],
  schedules: ['off', 'on'],
  agent_access: ['off', 'on'],
  cloud_access: ['on', 'off'],
  mdns: ['on', 'off'],
  allow_unlock: ['off', 'on'],
  may_tell: ['off', 'on'],
} as const

export type KnobName = keyof typeof KNOB_VALUES
export type Knobs = { readonly [K in KnobName]: (typeof KNOB_VALUES)[K][number] }

export const DEFAULT_KNOBS: Knobs = {
  advanced_config: 'read',
  structural: 'off',
  automations: 'off',
  schedules: 'off',
  agent_access: 'off',
  cloud_access: 'on',
  mdns: 'on',
  allow_unlock: 'off',
  may_tell: 'off',
}

/** Visibility of the home's people, beside the knobs: none, only whether anyone is home, or each person by name. */
export const PEOPLE_SHOWN = ['none', 'anyone', 'each'] as const
export type PeopleShown = (typeof PEOPLE_SHOWN)[number]

/** A moment of the week by the clock of the home: `fri 16:00`. */
export const WEEK_TIME = /^(?:mon|tue|wed|thu|fri|sat|sun) (?:[01]\d|2[0-3]):[0-5]\d$/
/** Users of an integration: programs with keys, the person whose record it is, or a wall tablet. */
export const INTEGRATION_KINDS = ['programs', 'member', 'tablet'] as const
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number]

/** With allow_unlock on: it opens locks and gates by itself, or an administrator confirms each opening. */
export const OPENINGS = ['yes', 'ask'] as const
export type OpeningWay = (typeof OPENINGS)[number]

/** Meaning of each value for users of the integration, in one sentence. */
export const KNOB_MEANINGS: { readonly [K in KnobName]: Readonly<Record<Knobs[K], string>> } = {
  advanced_config: {
    off: 'It can neither read nor change unit settings.',
    read: 'It can read unit settings, but not change them.',
    read_write: 'It can read and change unit settings.',
  },
  structural: { off: 'It cannot rename anything.', on: 'It can rename the rooms, units and gangs that it sees.' },
  automations: {
    off: 'It cannot see automations. The ones it created keep running.',
    on: 'It can see, change and create automations for things that it sees.',
  },
  schedules: {
    off: 'It cannot see schedules. The ones it created keep running.',
    on: "It can see, change and create schedules, and read the units' own schedules.",
  },
  agent_access: {
    off: 'Agents cannot connect, and connected ones are suspended.',
    on: 'Agents can ask for access, and an administrator decides each time.',
  },
  cloud_access: { on: 'It also works through the relay.', off: 'It works only in the home network.' },
  mdns: {
    on: 'Programs in the home network find the gateway automatically.',
    off: 'The gateway does not announce itself for this integration.',
  },
  allow_unlock: {
    off: 'It cannot open locks or gates.',
    on: 'It can open locks and gates. An administrator confirms each opening by an agent.',
  },
  may_tell: {
    off: 'Its automations and schedules send no messages to people.',
    on: 'Its automations and schedules can send messages to people.',
  },
}
