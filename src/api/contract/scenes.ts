import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { sceneStepSchema, sceneStepsSchema } from '../../home/rules/schema.ts'
import { idOf } from './fields.ts'
import { Id, OriginShape, PlainName, Revision, Scene, SceneRun } from './shapes.ts'

export const SceneEntry = z
  .looseObject({
    ...Scene.shape,
    icon: z.string().nullable().meta({ description: 'The name of its icon in the app.' }),
    revision: Revision,
    origin: OriginShape,
    members: z.array(z.string()).meta({ description: 'The devices of its steps that this integration shows.' }),
    hiddenMembers: z
      .int()
      .min(0)
      .meta({ description: 'How many more devices it moves that this integration does not show.' }),
    running: z.boolean().meta({ description: 'Whether it runs now.' }),
  })
  .meta({ id: 'SceneEntry' })

const text = z.string().trim().min(1).max(64)
/**
 * Scenes are edited as a whole or in part: what is missing or null stays as it is, but `icon`, `floorId` and `roomId`,
 * which null takes away.
 */
export const SceneBody = z.strictObject({
  name: PlainName.nullish(),
  icon: text.nullish().meta({ description: 'The name of its icon in the app.' }),
  floorId: Id.nullish().meta({ description: 'The floor where it is shown.' }),
  roomId: Id.nullish().meta({ description: 'The room where it is shown.' }),
  steps: sceneStepsSchema.nullish(),
  ifRevision: Revision.nullish().meta({ description: 'For an edit: the revision that was read.' }),
})
// What each needs is refused behind the lookup of everything that is named.
const SceneCreate = SceneBody.meta({ id: 'SceneCreate', description: 'A new scene.', required: ['name'] })
const SceneEdit = SceneBody.meta({
  id: 'SceneEdit',
  description: 'What changes; what is left out stays.',
  required: ['ifRevision'],
})

export const SceneDetail = z
  .looseObject({ ...SceneEntry.shape, steps: z.array(sceneStepSchema) })
  .meta({ id: 'SceneDetail' })

export const scenes = {
  'scenes.list': endpoint('GET', '/v1/scenes', {
    summary: 'The exposed scenes with their members and whether they run',
    spec: '2.5; docs/automations.md',
    tagged: true,
    answer: z.looseObject({ scenes: z.array(SceneEntry) }),
  }),
  'scenes.get': endpoint('GET', '/v1/scenes/{id}', {
    summary: 'One scene with the steps that this integration may see',
    spec: '2.5; docs/automations.md',
    subject: 'scene',
    tagged: true,
    answer: z.looseObject({ scene: SceneDetail }),
  }),
  'scenes.create': endpoint('POST', '/v1/scenes', {
    summary: 'Create a scene; on a Selected integration it joins the selection',
    spec: '2.5, 4',
    body: SceneCreate,
    status: 201,
    answer: z.looseObject({ scene: SceneDetail }),
    errors: ['not_found', 'unlock_not_allowed'],
  }),
  'scenes.edit': endpoint('PATCH', '/v1/scenes/{id}', {
    summary: 'Edit a scene; steps that this integration cannot see stay in place',
    spec: '2.5, 4.rule5, 4.rule6',
    subject: 'scene',
    body: SceneEdit,
    answer: z.looseObject({ scene: SceneDetail }),
    errors: ['revision_mismatch', 'unlock_not_allowed'],
  }),
  'scenes.run': endpoint('POST', '/v1/scenes/{id}/run', {
    summary: 'Run the scene; same as the control operation run',
    spec: '2.4, 4',
    subject: 'scene',
    answer: z.looseObject({ device: idOf('the scene'), run: SceneRun }),
    errors: ['unlock_not_allowed', 'confirmation_required', 'rate_limited', 'hmhc_unavailable', 'overloaded'],
  }),
} as const
