import { z } from 'zod'
import { named } from './fields.ts'
import { KNOB_VALUES } from '../../exposure/knobs.ts'
import type { Gate } from './endpoint.ts'

const values = {
  advanced_config: z
    .enum(KNOB_VALUES.advanced_config)
    .describe('Unit settings: not at all, reading them, or changing them too.'),
  structural: z.enum(KNOB_VALUES.structural).describe('Renaming rooms, units and gangs.'),
  automations: z.enum(KNOB_VALUES.automations).describe('Seeing and changing automations.'),
  schedules: z.enum(KNOB_VALUES.schedules).describe('Seeing and changing schedules.'),
  agent_access: z.enum(KNOB_VALUES.agent_access).describe('Whether agents may ask for access and use it.'),
  cloud_access: z.enum(KNOB_VALUES.cloud_access).describe('Whether it may be reached through the relay.'),
  mdns: z.enum(KNOB_VALUES.mdns).describe('Whether it is announced in the network.'),
  allow_unlock: z.enum(KNOB_VALUES.allow_unlock).describe('Opening locks and gates.'),
}

/** The knobs as answers carry them (Spec 2.1). */
export const Settings = named('Settings', 'The eight knobs with their current values.', values)

/** Some of the knobs, as bodies carry them. */
export const SomeSettings = z.strictObject(values).partial()

const SETTINGS_FROM = { read: ['read', 'read_write'], read_write: ['read_write'] } as const

/** The gates of endpoints: which knob each needs, and how it is refused without it. */
export const needs = {
  structural: {
    knob: 'structural',
    anyOf: ['on'],
    else: 'structural_not_allowed',
    // Elsewhere this code leads to the rooms, where the structure itself is changed.
    details: {
      message: 'This integration may not change names. An administrator can switch structural on.',
      appAction: 'integrations.record',
    },
  },
  automations: { knob: 'automations', anyOf: ['on'], else: 'automations_not_allowed' },
  schedules: { knob: 'schedules', anyOf: ['on'], else: 'schedules_not_allowed' },
  /** @param least what `advanced_config` has to allow at least. */
  settings: (least: keyof typeof SETTINGS_FROM) =>
    ({ knob: 'advanced_config', anyOf: SETTINGS_FROM[least], else: 'config_not_allowed' }) as const satisfies Gate,
} as const satisfies Record<string, Gate | ((least: 'read' | 'read_write') => Gate)>
