import { z } from 'zod'
import { text, textOrNull, whether, named } from './fields.ts'
import { sceneStepSchema, stepSchema } from '../../home/rules/step-schema.ts'
import { conditionSchema, valueSchema } from '../../home/rules/condition-schema.ts'
import { MOMENTS_MAX } from '../../home/rules/trial.ts'
import { COMMAND_ARGS } from './control.ts'
import { endpoint } from './endpoint.ts'
import { ErrorDetail, OperationName } from './shapes.ts'
import { needs } from './knobs.ts'
import { AutomationCreate, AutomationEdit, ScheduleCreate, ScheduleEdit } from './rules.ts'
import { SceneCreate } from './scenes.ts'
import { looseObject } from '../../lib/late-object.ts'

const common = {
  after: z.number().min(0).describe('Seconds of delay before the step.'),
  refused: ErrorDetail.nullable().describe('The expected refusal of the step, or null.'),
  command: named('ForeseenCommand', 'The command that a change from the confirmed state would send.', () => ({
    op: OperationName,
    args: z.looseObject(COMMAND_ARGS).partial().optional().describe('Its arguments, if it has some.'),
  })).optional(),
  waits: z
    .number()
    .min(0)
    .optional()
    .describe('Seconds that it would pause: of a delay with `random` by chance, anew in each run; of `wait` at most.'),
}
const ForeseenSceneStep = named('ForeseenSceneStep', 'One step of a scene as it would run.', () => ({
  step: sceneStepSchema,
  ...common,
}))
const ForeseenStep = named('ForeseenStep', 'One step as it would run.', () => ({
  step: stepSchema,
  ...common,
  branch: z.enum(['then', 'else']).optional().describe('Only of `if`: the branch that it would take.'),
  met: whether('Only of `wait`: false if it would end without its conditions.').optional(),
  rounds: z.int().min(0).optional().describe('Only of `repeat`: the number of rounds.'),
  tells: text('Only of `tell`: the message with its text filled, as by the first trigger.').optional(),
  reached: whether('False: the run would not come to this step; else missing.').optional(),
  get steps(): z.ZodOptional<z.ZodArray<z.ZodType<object>>> {
    return z
      .array(ForeseenStep)
      .optional()
      .describe(
        'Steps inside it: of the branch that it takes, of the first round, of the devices of a group, or of a scene as far as this integration sees it, the first time only.',
      )
  },
}))
const outcome = () => ({
  value: valueSchema.nullable().describe('The current value; null if unknown, and for conditions without one.'),
  holds: whether('True if it holds now.'),
})
const ForeseenLeaf = named('ForeseenLeaf', 'A condition inside another one, with its current result.', () => ({
  at: z.string().describe('Its place in the body, a JSON Pointer: `/if/0/any/1`.'),
  condition: conditionSchema,
  ...outcome(),
}))
const ForeseenCondition = named('ForeseenCondition', 'A condition with its current result.', () => ({
  condition: conditionSchema,
  ...outcome(),
  leaves: z
    .array(ForeseenLeaf)
    .optional()
    .describe(
      'Only for any, all, not and groups: the conditions inside that hold no others, and up to a hundred tests of devices of groups.',
    ),
}))

const refused = ErrorDetail.nullable().describe(
  'The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed.',
)
const nextRuns = z
  .array(z.int())
  .max(MOMENTS_MAX)
  .describe(
    'Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms.',
  )
const steps = z.array(ForeseenStep)

const SceneTrial = looseObject(() => ({ refused, steps: z.array(ForeseenSceneStep) }))
const RuleTrial = looseObject(() => ({
  refused,
  because: textOrNull('Reason why it would not run if triggered now, in one sentence, or null.'),
  if: z.array(ForeseenCondition),
  steps,
  nextRuns,
  nextRunsIf: textOrNull('Conditions, in words, that decide at each of these times whether it runs; null without any.'),
}))

const spec = 'docs/automations.md'

/** Dry runs: they predict effects and refusals; nothing is stored, sent or recorded. */
export const dryRuns = {
  'scenes.tryDraft': endpoint('POST', '/v1/scenes/try', {
    summary: 'Predict the effect of a new scene; nothing is stored or done',
    spec,
    body: SceneCreate,
    reads: true,
    answer: SceneTrial,
    errors: ['not_found'],
  }),
  'scenes.try': endpoint('POST', '/v1/scenes/{id}/try', {
    summary: 'Predict the effect of running the scene; nothing is done',
    spec,
    subject: 'scene',
    reads: true,
    answer: SceneTrial,
  }),
  'automations.tryDraft': endpoint('POST', '/v1/automations/try', {
    summary: 'Predict the effect of a new automation; nothing is stored or done',
    spec,
    gate: needs.automations,
    body: AutomationCreate,
    reads: true,
    answer: RuleTrial,
    errors: ['not_found'],
  }),
  'automations.try': endpoint('POST', '/v1/automations/{id}/try', {
    summary: 'Predict the effect of triggering the automation now; nothing is done',
    spec,
    subject: 'automation',
    gate: needs.automations,
    reads: true,
    answer: RuleTrial,
  }),
  'automations.tryEdit': endpoint('PATCH', '/v1/automations/{id}/try', {
    summary: 'Predict the effect of the automation after an edit; nothing is stored or done',
    spec,
    subject: 'automation',
    gate: needs.automations,
    body: AutomationEdit,
    reads: true,
    answer: RuleTrial,
    errors: ['revision_mismatch'],
  }),
  'schedules.tryDraft': endpoint('POST', '/v1/schedules/try', {
    summary: 'Predict the effect and times of a new schedule; nothing is stored or done',
    spec,
    gate: needs.schedules,
    body: ScheduleCreate,
    reads: true,
    answer: RuleTrial,
    errors: ['not_found'],
  }),
  'schedules.try': endpoint('POST', '/v1/schedules/{id}/try', {
    summary: 'Predict the effect and times of the schedule; nothing is done',
    spec,
    subject: 'schedule',
    gate: needs.schedules,
    reads: true,
    answer: RuleTrial,
  }),
  'schedules.tryEdit': endpoint('PATCH', '/v1/schedules/{id}/try', {
    summary: 'Predict the effect and times of the schedule after an edit; nothing is stored or done',
    spec,
    subject: 'schedule',
    gate: needs.schedules,
    body: ScheduleEdit,
    reads: true,
    answer: RuleTrial,
    errors: ['revision_mismatch'],
  }),
} as const
