import { z } from 'zod'
import { STEP_STATES } from '../../home/rules/runs/run-report.ts'
import { stepSchema } from '../../home/rules/schema.ts'
import { endpoint } from './endpoint.ts'
import { ErrorDetail } from './shapes.ts'
import { epochMs, growing, idOf, text, named } from './fields.ts'

export const RUN_STATES = ['queued', 'running', 'waiting', 'done', 'failed', 'stopped'] as const
export type RunState = (typeof RUN_STATES)[number]
export const RUN_KINDS = ['scene', 'automation', 'schedule'] as const

const RunStep = named('RunStep', 'One step of a run, and what became of it.', {
  step: stepSchema,
  state: growing(STEP_STATES, 'How far it is; left_out: the run ended before it.'),
  error: ErrorDetail.optional(),
})

const entry = {
  runId: text('Names this one run.'),
  kind: growing(RUN_KINDS, 'What runs.'),
  of: idOf('the scene, automation or schedule'),
  state: growing(RUN_STATES, 'failed: it ended, and not every step succeeded; stopped: it ended before its last step.'),
  startedAt: epochMs('When it began, or began to wait for its turn.'),
  endedAt: epochMs('When it ended, or null.').nullable(),
  until: epochMs('While it is waiting: when it goes on; else null.').nullable(),
}

const RunEntry = named('RunEntry', 'A run of something, without its steps.', entry)

export const Run = named('Run', 'One time that a scene, an automation or a schedule is carried out.', {
  ...entry,
  steps: z.array(RunStep).describe('The steps that this integration may see, as they were when it began.'),
})

/**
 * Runs of what this integration sees: a rule's only with its knob, so there is none of them without
 * (docs/automations.md#runs).
 */
export const runs = {
  'runs.list': endpoint('GET', '/v1/runs', {
    summary: 'What runs now, or waits to go on',
    spec: '2.4; docs/automations.md',
    answer: z.looseObject({ runs: z.array(RunEntry) }),
  }),
  'runs.get': endpoint('GET', '/v1/runs/{id}', {
    summary: 'One run, under way or ended a short while ago, with what became of its steps',
    spec: '2.4; docs/automations.md',
    subject: 'run',
    answer: z.looseObject({ run: Run }),
  }),
  'runs.stop': endpoint('POST', '/v1/runs/{id}/stop', {
    summary: 'End a run before its next step; one that has ended stays as it is',
    spec: '2.4; docs/automations.md',
    subject: 'run',
    answer: z.looseObject({ run: Run }),
    errors: ['unlock_not_allowed'],
  }),
} as const
