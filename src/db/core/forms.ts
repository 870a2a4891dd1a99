import * as z from 'zod'
import { KNOB_VALUES } from '../../exposure/knobs.ts'
import { ACTIVITY_KINDS } from '../../home/model/activity.ts'
import { CAUSE_SOURCES } from '../../home/model/cause.ts'

/**
 * The forms of what core.db holds as JSON, as far as a reader relies on them. Fields of later versions are no damage.
 */
const causeForm: z.ZodType = z.looseObject({
  source: z.enum(CAUSE_SOURCES),
  name: z.string(),
  ref: z.string().optional(),
  integration: z.string().optional(),
  link: z.string().optional(),
  confirmedBy: z.string().optional(),
  get by() {
    return causeForm.optional()
  },
})

const principal = z.looseObject({
  integration: z.string(),
  link: z.string(),
  confirmedBy: z.string().optional(),
})

/** A knob that is not named has its first value. */
const knobs = z.strictObject({
  advanced_config: z.enum(KNOB_VALUES.advanced_config),
  structural: z.enum(KNOB_VALUES.structural),
  automations: z.enum(KNOB_VALUES.automations),
  schedules: z.enum(KNOB_VALUES.schedules),
  agent_access: z.enum(KNOB_VALUES.agent_access),
  cloud_access: z.enum(KNOB_VALUES.cloud_access),
  mdns: z.enum(KNOB_VALUES.mdns),
  allow_unlock: z.enum(KNOB_VALUES.allow_unlock),
})

const subject = z.looseObject({
  kind: z.enum(['home', 'device', 'steps', 'scene', 'room', 'floor', 'automation', 'schedule', 'integration']),
  id: z.string().optional(),
  devices: z.array(z.string()).optional(),
})

export const FORMS = {
  cause: causeForm,
  principals: z.array(principal),
  failures: z.array(z.looseObject({ step: z.int(), reason: z.string() })),
  knobs: knobs.partial(),
  scope: z.looseObject({
    exposure: z.union([z.literal('All'), z.array(z.string())]).optional(),
    settings: z.record(z.string(), z.string()).optional(),
  }),
  edits: z.array(z.strictObject({ devices: z.array(z.string()).nullable(), count: z.int().min(1) })).min(1),
  door: z.string().regex(/^mcp(?:\/r\/[0-9a-f-]{36})?$/),
  headers: z.record(z.string(), z.string()),
  draft: z.looseObject({
    at: z.number(),
    kind: z.enum(ACTIVITY_KINDS),
    subject: subject.refine(({ kind, id }) => kind === 'home' || id !== undefined),
    what: z.string(),
    cause: causeForm,
    data: z.record(z.string(), z.unknown()).optional(),
  }),
} as const

export const isDraft = (value: unknown): boolean => FORMS.draft.safeParse(value).success
