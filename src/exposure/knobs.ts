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

export const KNOB_NAMES = Object.keys(KNOB_VALUES) as readonly KnobName[]

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

export function isKnobName(name: string): name is KnobName {
  return Object.hasOwn(KNOB_VALUES, name)
}

/** True when `value` is one of the values that Spec 2.1 allows for the knob. */
export function isKnobValue(name: KnobName, value: unknown): boolean {
  return (KNOB_VALUES[name] as readonly unknown[]).includes(value)
}
