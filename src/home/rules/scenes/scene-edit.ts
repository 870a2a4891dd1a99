import { canonicalJson } from '../../../lib/canonical-json.ts'
import { type Result, fail, ok } from '../../../lib/result.ts'
import type { DeviceKey } from '../../model/device.ts'
import { type Author, type Origin, type Scene, FIRST_EDIT, withEdit } from '../../model/house.ts'
import type { SceneStep } from '../../model/steps.ts'
import { STEPS_MAX } from '../../model/rules.ts'
import { mergeVisibleSteps } from './visible-steps.ts'

/** Editable fields of a scene; a missing field stays as it is. */
export type SceneChange = { readonly [F in 'name' | 'icon' | 'floor' | 'room' | 'steps']?: Scene[F] | undefined }

export function makeScene(
  draft: SceneChange & { readonly name: string },
  identity: { readonly id: string; readonly origin: Origin | null; readonly position: number },
): Scene {
  const { name, icon = null, floor = null, room = null, steps = [] } = draft
  const { id, origin, position } = identity
  return { id, name, icon, floor, room, steps, revision: 1, edits: [FIRST_EDIT], origin, author: origin, position }
}

/**
 * The scene after an edit, one revision later, or the same scene if nothing changes (Spec 4 rule 5,
 * docs/automations.md#scenes). Refused if the steps, with those hidden from the editor, would exceed `STEPS_MAX`. The
 * caller compares the revision.
 *
 * The sender of new steps becomes the author of all steps. Sending a whole scene back with unchanged steps changes no
 * author.
 */
export function editScene(
  stored: Scene,
  change: SceneChange,
  isVisible: (device: DeviceKey) => boolean,
  author: Author,
): Result<Scene, 'too_many_steps'> {
  const { name = stored.name, icon = stored.icon, floor = stored.floor, room = stored.room } = change
  const isShown = (step: SceneStep): boolean => !('device' in step) || isVisible(step.device)
  const steps = change.steps === undefined ? stored.steps : mergeVisibleSteps(stored.steps, change.steps, isShown)
  if (steps.length > STEPS_MAX) return fail('too_many_steps')
  const newAuthor = savesSteps(change, stored, steps) ? author : stored.author
  const edited = { ...stored, name, icon, floor, room, steps, author: newAuthor }
  if (canonicalJson(edited) === canonicalJson(stored)) return ok(stored)
  const edits = withEdit(stored.edits, concernedBy(stored, edited))
  return ok({ ...edited, revision: stored.revision + 1, edits })
}

/** An edit with a name sends the whole scene: its steps then count as saved only if they differ. */
function savesSteps(change: SceneChange, stored: Scene, steps: readonly SceneStep[]): boolean {
  if (change.steps === undefined) return false
  return change.name === undefined || canonicalJson(steps) !== canonicalJson(stored.steps)
}

/**
 * The revision that an integration sees. Edits of hidden steps do not count, so it reveals nothing about them.
 * `ifRevision` is compared with it, so such an edit is no conflict.
 */
export function visibleRevision(
  scene: Pick<Scene, 'revision' | 'edits'>,
  isVisible: (device: DeviceKey) => boolean,
): number {
  const isHidden = ({ devices }: Scene['edits'][number]): boolean => devices !== null && !devices.some(isVisible)
  return scene.edits.filter(isHidden).reduce((revision, { count }) => revision - count, scene.revision)
}

/** The devices whose steps an edit changes, or null if it changes a part that every viewer sees. */
function concernedBy(before: Scene, after: Scene): readonly DeviceKey[] | null {
  const head = ({ name, icon, floor, room, steps }: Scene): string =>
    JSON.stringify([name, icon, floor, room, steps.filter((step) => !('device' in step))])
  if (head(before) !== head(after)) return null
  const stepsOf = (scene: Scene, device: DeviceKey): string =>
    JSON.stringify(scene.steps.filter((step) => 'device' in step && step.device === device))
  const devices = new Set([...before.steps, ...after.steps].flatMap((step) => ('device' in step ? [step.device] : [])))
  const changed = [...devices].filter((device) => stepsOf(before, device) !== stepsOf(after, device))
  if (changed.length > 0) return changed
  const moved = movedBetween(before.steps, after.steps)
  // Only the author changed, so every viewer sees a new revision.
  return moved.length > 0 ? moved : null
}

/**
 * Devices with a step that changed sides with a step of another device or a wait; each device's own steps are the same.
 */
function movedBetween(before: readonly SceneStep[], after: readonly SceneStep[]): readonly DeviceKey[] {
  const places = placesOf(after)
  // The new place of each earlier step: a pair that is out of order changed sides.
  const now = namesOf(before).map((name) => ({ name, place: places.get(name)?.shift() ?? 0 }))
  const moved = new Set<string>()
  for (const [index, left] of now.entries()) {
    for (const right of now.slice(index + 1)) {
      if (left.place > right.place) moved.add(left.name).add(right.name)
    }
  }
  moved.delete(WAIT)
  return [...moved]
}

/** Stands for a wait among device keys. */
const WAIT = ''

const namesOf = (steps: readonly SceneStep[]): string[] => steps.map((step) => ('device' in step ? step.device : WAIT))

function placesOf(steps: readonly SceneStep[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [place, name] of namesOf(steps).entries()) places.set(name, [...(places.get(name) ?? []), place])
  return places
}
