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
