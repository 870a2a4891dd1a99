import { z } from 'zod'
import { STEP_STATES } from '../../home/rules/runs/run-report.ts'
import { stepSchema } from '../../home/rules/step-schema.ts'
import { endpoint } from './endpoint.ts'
import { ErrorDetail } from './shapes.ts'
import { epochMs, growing, idOf, text, textOrNull, named } from './fields.ts'
import { looseObject } from '../../lib/late-object.ts'

export const RUN_STATES = ['queued', 'running', 'waiting', 'done', 'failed', 'stopped'] as const
export type RunState = (typeof RUN_STATES)[number]
export const RUN_KINDS = ['scene', 'automation', 'schedule'] as const

const RunStep = named('RunStep', 'One step of a run with its result.', () => ({
  step: stepSchema,
  state: growing(STEP_STATES, 'Progress of the step; left_out: the run ended before it.'),
  error: ErrorDetail.optional(),
  at: text('Only if a step inside it failed: its place, a JSON Pointer: `/then/0/else/1`.').optional(),
}))

const entry = {
  runId: text('The id of the run.'),
  kind: growing(RUN_KINDS, 'Kind of thing that runs.'),
  of: idOf('the scene, automation or schedule'),
  state: growing(RUN_STATES, 'failed: it ended, and a step did not succeed; stopped: it ended before its last step.'),
  startedAt: epochMs('Time when it started or was queued.'),
  endedAt: epochMs('Time of its end, or null.').nullable(),
  until: epochMs('Time when a waiting run continues; else null.').nullable(),
  at: textOrNull(
    'Place of the present or next step of a rule, a JSON Pointer: `/then/0/repeat/1`; null after the end.',
  ),
}

const RunEntry = named('RunEntry', 'A run without its steps.', () => entry)

export const Run = named('Run', 'One execution of a scene, an automation or a schedule.', () => ({
  ...entry,
  steps: z.array(RunStep).describe('The visible steps, as they were at the start.'),
}))

/** Runs of visible scenes and rules; runs of rules need the rules' knob (docs/automations.md#runs). */
export const runs = {
  'runs.list': endpoint('GET', '/v1/runs', {
    summary: 'Runs that are active, waiting or queued',
    spec: '2.4; docs/automations.md',
    answer: looseObject(() => ({ runs: z.array(RunEntry) })),
  }),
  'runs.get': endpoint('GET', '/v1/runs/{id}', {
    summary: 'One run, active or recently ended, with the results of its steps',
    spec: '2.4; docs/automations.md',
    subject: 'run',
    answer: looseObject(() => ({ run: Run })),
  }),
  'runs.stop': endpoint('POST', '/v1/runs/{id}/stop', {
    summary: 'Stop a run before its next step; an ended run stays as it is',
    spec: '2.4; docs/automations.md',
    subject: 'run',
    answer: looseObject(() => ({ run: Run })),
    errors: ['unlock_not_allowed'],
  }),
} as const
