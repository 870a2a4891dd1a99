import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { originSchema } from '../../home/model/device.ts'
import { plainText } from '../../lib/plain-text.ts'
import { noRevisionYet } from '../../home/rules/schema.ts'
import { sceneStepSchema, sceneStepsSchema } from '../../home/rules/step-schema.ts'
import { idOf, textOrNull, whether, count, named } from './fields.ts'
import { Id, OriginShape, PlainName, Revision, Scene, SceneRun } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

export const SceneEntry = named('SceneEntry', 'A scene without its steps.', () => ({
  ...Scene.shape,
  icon: textOrNull('Name of its icon in the app.'),
  revision: Revision,
  origin: OriginShape,
  members: z.array(z.string()).describe('Exposed devices of its steps.'),
  hiddenMembers: count('Number of further members that this integration does not show.'),
  running: whether('True while it runs.'),
}))

const icon = plainText(64).describe('The name of its icon in the app.')
/**
 * Scenes are edited as a whole or in part: missing and null fields stay as they are, but null removes `icon`, `floorId`
 * and `roomId`.
 */
const content = {
  name: PlainName.nullish(),
  icon: icon.nullish(),
  floorId: Id.nullish().describe('The floor where it is shown; `roomId` has to lie on it.'),
  roomId: Id.nullish().describe('The room where it is shown.'),
  steps: sceneStepsSchema.nullish(),
}
const asRead = { description: 'The value of the last read.' }
// Missing fields are refused after the look-up of all ids in the body.
export const SceneCreate = strictObject(() => ({ ...content, ifRevision: noRevisionYet })).meta({
  id: 'SceneCreate',
  description: 'A new scene.',
  required: ['name'],
})
export const SceneEdit = strictObject(() => ({
  ...content,
  id: z.string().optional().meta(asRead),
  room: z.string().nullish().meta(asRead),
  floor: z.string().nullish().meta(asRead),
  revision: Revision.optional().meta(asRead),
  origin: originSchema.optional(),
  members: z.array(z.string()).optional().meta(asRead),
  hiddenMembers: z.int().optional().meta(asRead),
  running: z.boolean().optional().meta(asRead),
  ifRevision: Revision.nullish().describe('The revision of the last read.'),
})).meta({
  id: 'SceneEdit',
  description: 'Fields to change; missing fields stay as they are.',
  required: ['ifRevision'],
})

export const SceneDetail = named('SceneDetail', 'A scene with the steps that this integration sees.', () => ({
  ...SceneEntry.shape,
  steps: z.array(sceneStepSchema),
}))

export const scenes = {
  'scenes.list': endpoint('GET', '/v1/scenes', {
    summary: 'The exposed scenes with their members and run state',
    spec: '2.5; docs/automations.md',
    tagged: true,
    answer: looseObject(() => ({ scenes: z.array(SceneEntry) })),
  }),
  'scenes.get': endpoint('GET', '/v1/scenes/{id}', {
    summary: 'One scene with the steps that this integration may see',
    spec: '2.5; docs/automations.md',
    subject: 'scene',
    tagged: true,
    answer: looseObject(() => ({ scene: SceneDetail })),
  }),
  'scenes.create': endpoint('POST', '/v1/scenes', {
    configures: true,
    summary: 'Create a scene; on a Selected integration it joins the selection',
    spec: '2.5, 4',
    body: SceneCreate,
    status: 201,
    answer: looseObject(() => ({ scene: SceneDetail })),
    errors: ['not_found', 'unlock_not_allowed'],
  }),
  'scenes.edit': endpoint('PATCH', '/v1/scenes/{id}', {
    configures: true,
    summary: 'Edit a scene; steps that this integration cannot see stay in place',
    spec: '2.5, 4.rule5, 4.rule6',
    subject: 'scene',
    body: SceneEdit,
    answer: looseObject(() => ({ scene: SceneDetail })),
    errors: ['revision_mismatch', 'unlock_not_allowed'],
  }),
  'scenes.run': endpoint('POST', '/v1/scenes/{id}/run', {
    summary: 'Run the scene; same as the control operation run',
    spec: '2.4, 4',
    subject: 'scene',
    answer: looseObject(() => ({ device: idOf('the scene'), run: SceneRun })),
    errors: ['unlock_not_allowed', 'confirmation_required', 'rate_limited', 'hmhc_unavailable', 'overloaded'],
  }),
} as const
