import { type Result, fail, ok } from '../../../lib/result.ts'
import type { DeviceKey } from '../../model/device.ts'
import type { Origin, Scene, Step } from '../../model/house.ts'
import { STEPS_MAX } from '../model.ts'
import { mergeVisibleSteps } from './visible-steps.ts'

/** What of a scene may be said; a missing field stays as it is. */
export interface SceneChange {
  readonly name?: string | undefined
  readonly icon?: string | null | undefined
  readonly floor?: string | null | undefined
  readonly room?: string | null | undefined
  /** The steps that the editor sees; those it does not see stay. */
  readonly steps?: readonly Step[] | undefined
}

export function makeScene(draft: SceneChange & { readonly name: string }, kept: { readonly id: string; readonly origin: Origin | null; readonly position: number }): Scene {
  const { name, icon = null, floor = null, room = null, steps = [] } = draft
  return { id: kept.id, name, icon, floor, room, steps, revision: 1, origin: kept.origin, position: kept.position }
}

/**
 * The scene after an edit, one revision on (Spec 4 rule 5, D5). Refused where the steps, with those that the editor does not see,
 * would be more than `STEPS_MAX`. The caller compares the revision.
 */
export function editScene(stored: Scene, change: SceneChange, isVisible: (device: DeviceKey) => boolean): Result<Scene, 'too_many_steps'> {
  const { name = stored.name, icon = stored.icon, floor = stored.floor, room = stored.room } = change
  const shows = (step: Step): boolean => !('device' in step) || isVisible(step.device)
  const steps = change.steps === undefined ? stored.steps : mergeVisibleSteps(stored.steps, change.steps, shows)
  if (steps.length > STEPS_MAX) return fail('too_many_steps')
  return ok({ ...stored, name, icon, floor, room, steps, revision: stored.revision + 1 })
}
