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
  agent_access: z.enum(KNOB_VALUES.agent_access).describe('Agents may ask for access and use it.'),
  cloud_access: z.enum(KNOB_VALUES.cloud_access).describe('The relay may forward requests to it.'),
  mdns: z.enum(KNOB_VALUES.mdns).describe('The gateway announces it in the network.'),
  allow_unlock: z.enum(KNOB_VALUES.allow_unlock).describe('Opening locks and gates.'),
  may_tell: z.enum(KNOB_VALUES.may_tell).describe('Sending messages to people by automations and schedules.'),
}

/** The knobs in responses (Spec 2.1). */
export const Settings = named('Settings', 'The knobs with their current values.', () => values)

/** Some knobs in request bodies. */
export const SomeSettings = z.strictObject(values).partial()

const SETTINGS_FROM = { read: ['read', 'read_write'], read_write: ['read_write'] } as const

/** Gates of endpoints: the required knob and the refusal without it. */
export const needs = {
  structural: {
    knob: 'structural',
    anyOf: ['on'],
    else: 'structural_not_allowed',
    // For other refusals this code points to the rooms, where the structure itself is changed.
    details: {
      message: 'This integration may not change names. An administrator can turn structural on.',
      appAction: 'integrations.record',
    },
  },
  automations: { knob: 'automations', anyOf: ['on'], else: 'automations_not_allowed' },
  schedules: { knob: 'schedules', anyOf: ['on'], else: 'schedules_not_allowed' },
  /** @param least smallest sufficient value of `advanced_config`. */
  settings: (least: keyof typeof SETTINGS_FROM) =>
    ({ knob: 'advanced_config', anyOf: SETTINGS_FROM[least], else: 'config_not_allowed' }) as const satisfies Gate,
} as const satisfies Record<string, Gate | ((least: 'read' | 'read_write') => Gate)>
