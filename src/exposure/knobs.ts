/** The eight knobs of an integration (Spec 2.1): what it may do. Read fresh from the store on every request. */
export const KNOB_VALUES = {
  advanced_config: ['off', 'read', 'read_write'],
  structural: ['off', 'on'],
  automations: ['off', 'on'],
  schedules: ['off', 'on'],
  agent_access: ['off', 'on'],
  cloud_access: ['on', 'off'],
  mdns: ['on', 'off'],
  allow_unlock: ['off', 'on'],
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
}

/** What each value means for whoever uses the integration, in one sentence. */
export const KNOB_MEANINGS: { readonly [K in KnobName]: Readonly<Record<Knobs[K], string>> } = {
  advanced_config: {
    off: 'It neither reads nor changes unit settings.',
    read: 'It reads unit settings and changes none.',
    read_write: 'It reads and changes unit settings.',
  },
  structural: { off: 'It renames nothing.', on: 'It may rename rooms, units and gangs that it shows.' },
  automations: {
    off: 'It neither sees nor changes automations; those that it made go on running.',
    on: 'It sees and changes automations that name nothing hidden from it, and makes new ones.',
  },
  schedules: {
    off: "It neither sees nor changes schedules, nor sees the units' own; those that it made go on running.",
    on: "It sees and changes schedules that name nothing hidden from it, makes new ones, and reads the units' own.",
  },
  agent_access: {
    off: 'Agents cannot ask for access, and those that have it are refused until this is on again.',
    on: 'Agents may ask for access, and those that have it are served.',
  },
  cloud_access: { on: 'It is served through the cloud relay too.', off: 'It is served in the home network alone.' },
  mdns: {
    on: 'The gateway announces itself in the home network.',
    off: 'It is no reason for the gateway to announce itself in the home network.',
  },
  allow_unlock: {
    off: 'Nothing that goes through it opens a lock or gate.',
    on: 'It opens locks and gates; its agents only with a confirmation each time.',
  },
}
