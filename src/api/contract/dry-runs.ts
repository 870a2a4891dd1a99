import { z } from 'zod'
import { textOrNull, whether, named } from './fields.ts'
import { conditionSchema, sceneStepSchema, stepSchema, valueSchema } from '../../home/rules/schema.ts'
import { MOMENTS_MAX } from '../../home/rules/trial.ts'
import { endpoint } from './endpoint.ts'
import { ErrorDetail } from './shapes.ts'
import { needs } from './knobs.ts'
import { AutomationCreate, AutomationEdit, ScheduleCreate, ScheduleEdit } from './rules.ts'
import { SceneCreate } from './scenes.ts'

const common = {
  after: z.number().min(0).describe('Seconds that the delays before it take.'),
  refused: ErrorDetail.nullable().describe('Why it would not be made, as far as the gateway knows; or null.'),
}
const ForeseenSceneStep = named('ForeseenSceneStep', 'One step of a scene as it would be made.', {
  step: sceneStepSchema,
  ...common,
})
const ForeseenStep = named('ForeseenStep', 'One step as it would be made.', {
  step: stepSchema,
  ...common,
  steps: z
    .array(ForeseenSceneStep)
    .optional()
    .describe('Of the first step that runs a scene: the steps of it that this integration sees.'),
})
const ForeseenCondition = named('ForeseenCondition', 'A condition, and whether it holds now.', {
  condition: conditionSchema,
  value: valueSchema.nullable().describe('What is known now; null where nothing is, and for a window.'),
  holds: whether('Whether it holds now.'),
})

const refused = ErrorDetail.nullable().describe(
  'Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not.',
)
const nextRuns = z
  .array(z.int())
  .max(MOMENTS_MAX)
  .describe('When the clock would set it off, soonest first; none while it is off. Epoch ms.')
const steps = z.array(ForeseenStep)

const SceneTrial = z.looseObject({ refused, steps: z.array(ForeseenSceneStep) })
const AutomationTrial = z.looseObject({
  refused,
  because: textOrNull('Why it would not run if it were set off now, in one sentence, or null.'),
  if: z.array(ForeseenCondition),
  steps,
  nextRuns,
})
const ScheduleTrial = z.looseObject({ refused, steps, nextRuns })

const spec = 'docs/automations.md'

/** What would happen, and what would be refused: nothing is stored, sent or recorded. */
export const dryRuns = {
  'scenes.tryDraft': endpoint('POST', '/v1/scenes/try', {
    summary: 'What a new scene would do; nothing is stored or done',
    spec,
    body: SceneCreate,
    reads: true,
    answer: SceneTrial,
    errors: ['not_found'],
  }),
  'scenes.try': endpoint('POST', '/v1/scenes/{id}/try', {
    summary: 'What running the scene would do; nothing is done',
    spec,
    subject: 'scene',
    reads: true,
    answer: SceneTrial,
  }),
  'automations.tryDraft': endpoint('POST', '/v1/automations/try', {
    summary: 'What a new automation would do; nothing is stored or done',
    spec,
    gate: needs.automations,
    body: AutomationCreate,
    reads: true,
    answer: AutomationTrial,
    errors: ['not_found'],
  }),
  'automations.try': endpoint('POST', '/v1/automations/{id}/try', {
    summary: 'What the automation would do if it were set off now; nothing is done',
    spec,
    subject: 'automation',
    gate: needs.automations,
    reads: true,
    answer: AutomationTrial,
  }),
  'automations.tryEdit': endpoint('PATCH', '/v1/automations/{id}/try', {
    summary: 'What the automation would do after an edit; nothing is stored or done',
    spec,
    subject: 'automation',
    gate: needs.automations,
    body: AutomationEdit,
    reads: true,
    answer: AutomationTrial,
    errors: ['revision_mismatch'],
  }),
  'schedules.tryDraft': endpoint('POST', '/v1/schedules/try', {
    summary: 'What a new schedule would do, and when; nothing is stored or done',
    spec,
    gate: needs.schedules,
    body: ScheduleCreate,
    reads: true,
    answer: ScheduleTrial,
    errors: ['not_found'],
  }),
  'schedules.try': endpoint('POST', '/v1/schedules/{id}/try', {
    summary: 'What the schedule would do, and when; nothing is done',
    spec,
    subject: 'schedule',
    gate: needs.schedules,
    reads: true,
    answer: ScheduleTrial,
  }),
  'schedules.tryEdit': endpoint('PATCH', '/v1/schedules/{id}/try', {
    summary: 'What the schedule would do after an edit, and when; nothing is stored or done',
    spec,
    subject: 'schedule',
    gate: needs.schedules,
    body: ScheduleEdit,
    reads: true,
    answer: ScheduleTrial,
    errors: ['revision_mismatch'],
  }),
} as const
