/** The eight knobs of an integration (Spec 2.1): its permissions. Read fresh from the store on every request. */
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

/** Meaning of each value for users of the integration, in one sentence. */
export const KNOB_MEANINGS: { readonly [K in KnobName]: Readonly<Record<Knobs[K], string>> } = {
  advanced_config: {
    off: 'It neither reads nor changes unit settings.',
    read: 'It reads unit settings and changes none.',
    read_write: 'It reads and changes unit settings.',
  },
  structural: { off: 'It renames nothing.', on: 'It may rename rooms, units and gangs that it shows.' },
  automations: {
    off: 'It neither sees nor changes automations; its existing ones keep running.',
    on: 'It sees, changes and creates automations that use only exposed things.',
  },
  schedules: {
    off: "It neither sees nor changes schedules, nor sees the units' own; its existing ones keep running.",
    on: "It sees, changes and creates schedules that use only exposed things, and reads the units' own.",
  },
  agent_access: {
    off: 'Agents cannot ask for access, and existing agents are refused until this is on again.',
    on: 'Agents may ask for access, and existing agents are served.',
  },
  cloud_access: { on: 'It is served through the cloud relay too.', off: 'It is served only in the home network.' },
  mdns: {
    on: 'The gateway announces itself in the home network.',
    off: 'The gateway does not announce itself in the home network because of it.',
  },
  allow_unlock: {
    off: 'It cannot open locks or gates.',
    on: 'It opens locks and gates; its agents only with a confirmation each time.',
  },
}
