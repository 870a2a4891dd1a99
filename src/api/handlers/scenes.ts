import type { z } from 'zod'
import type { Identity } from '../../auth/authenticator.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { ExposedFloor, ExposedHouse, ExposedRoom, ExposedScene } from '../../exposure/exposed-house.ts'
import type { IntegrationAdmin } from '../../exposure/integration-admin.ts'
import type { House } from '../../home/house/house.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Scene } from '../../home/model/house.ts'
import type { SceneStep } from '../../home/model/steps.ts'
import type { SceneRunner } from '../../home/rules/rules.ts'
import { readOnlyProblem, problemWith } from '../../home/rules/problems.ts'
import { mapReferences, type ReferenceMaps } from '../../home/model/rule-parts.ts'
import { editScene, makeScene, type SceneChange, visibleRevision } from '../../home/rules/scenes/scene-edit.ts'
import { viewScene } from '../../home/rules/scenes/visible-steps.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { SceneCreate, SceneEdit, scenes } from '../contract/scenes.ts'
import { type Refuse, refuseRun } from '../errors.ts'
import type { HandlersOf } from '../handler.ts'
import type { CachedLists } from '../cached-lists.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'
import { missingIn, originOf, refuseProblem, refuseStale } from './saving.ts'

export interface SceneParts {
  readonly house: House
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
  readonly integrations: Pick<IntegrationAdmin, 'addPick'>
  readonly random: Random
  readonly lists: Pick<CachedLists, 'of'>
  /** Notified that an integration sees the scene that it created, after its view can be rebuilt. */
  readonly accessChanges: Pick<Emitter<AccessChange>, 'emit'>
}

const ID_LENGTH = 12
/** Limit of scenes of a home. */
const SCENES_MAX = 500
/** Limit of scenes that one integration created. */
const SCENES_OF_ONE_MAX = 250

export function sceneHandlers(parts: SceneParts): HandlersOf<typeof scenes> {
  return {
    'scenes.list': ({ view }) =>
      parts.lists.of(view, {
        name: 'scenes',
        items: view.scenes.flatMap((scene) => view.sceneContent(scene) ?? []),
        fieldsOf: (scene) => headOf(scene, view),
        now: ({ id }) => ['running', parts.scenes.running(id)],
      }),
    'scenes.get': ({ subject, view, refuse }) => ({
      scene: detailOf(view.sceneContent(subject) ?? refuse('not_found'), view, parts.scenes),
    }),
    'scenes.run': ({ subject, identity, cause, refuse }) => runScene(parts, subject, { identity, cause, refuse }),
    'scenes.create': (call) => {
      const { view } = call
      const scene = createScene(parts, call.body, call)
      return {
        created: { scene: detailOf(scene, view, parts.scenes) },
        location: `/v1/scenes/${encodeURIComponent(view.ids.of('scene', scene.id))}`,
      }
    },
    'scenes.edit': (call) => {
      const { subject, body, view, cause, refuse } = call
      const stored = view.sceneContent(subject) ?? refuse('not_found')
      const change = sceneChange(body, stored, call)
      parts.unlocking.save(change.steps ?? [], call)
      const edited = editScene(stored, change, (device) => view.byKey(device) !== undefined, originOf(call.identity))
      // The scene counts as a whole, as for a run: an edit saves its hidden steps anew too.
      parts.unlocking.save(edited.ok ? edited.value.steps : stored.steps, call)
      const current = visibleRevision(stored, (device) => view.byKey(device) !== undefined)
      if (typeof body.ifRevision !== 'number')
        refuse('validation', {
          at: '/ifRevision',
          message: 'ifRevision: an edit needs the revision that you read.',
        })
      if (body.ifRevision !== current) refuseStale(current, refuse)
      refuseProblem(readOnlyProblem({ ...body, ifRevision: current }, readOnly(headOf(stored, view))), refuse)
      if (!edited.ok)
        return refuse('validation', {
          at: '/steps',
          message: 'steps: a scene has 100 steps at most, including steps that you do not see.',
        })
      if (edited.value !== stored) parts.house.saveScene(edited.value, 'edited', cause)
      return { scene: detailOf(edited.value, view, parts.scenes) }
    },
  }
}

/** Context of a request that creates or edits a scene. */
interface SceneContext {
  readonly view: ExposedHouse
  readonly identity: Identity
  readonly cause: Cause
  readonly refuse: Refuse<'not_found' | 'unlock_not_allowed'>
}

function createScene(parts: SceneParts, body: z.output<typeof SceneCreate>, context: SceneContext): Scene {
  const { identity, cause } = context
  const change = sceneChange(body, null, context)
  const name = refuseNewScene(parts, change, context)
  const { integration } = identity
  const position = Math.max(-1, ...[...parts.house.scenes.values()].map((scene) => scene.position)) + 1
  const scene = makeScene(
    { ...change, name },
    {
      id: randomId(parts.random, ID_LENGTH),
      origin: originOf(identity),
      position,
    },
  )
  parts.house.saveScene(scene, `created as ${scene.name}`, cause, () =>
    parts.integrations.addPick(integration, { kind: 'scene', id: scene.id }),
  )
  parts.accessChanges.emit({ integration: integration.id, deleted: false })
  return scene
}

/**
 * Refuses a valid new scene if its author may not open an entrance that it opens, or if the home has no room for it.
 * Returns its name, which is required.
 */
export function refuseNewScene(
  { house, unlocking }: Pick<SceneParts, 'house' | 'unlocking'>,
  { steps = [], name }: SceneChange,
  context: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
): string {
  unlocking.save(steps, context)
  const { refuse } = context
  if (name === undefined) return refuse('validation', { at: '/name', message: 'name: a new scene needs a name.' })
  const { id } = context.identity.integration
  const own = [...house.scenes.values()].filter(({ origin }) => origin?.integration === id).length
  if (own >= SCENES_OF_ONE_MAX)
    return refuse('validation', {
      message: `This integration has reached its limit of ${SCENES_OF_ONE_MAX} scenes: ask an administrator to delete one.`,
    })
  if (house.scenes.size < SCENES_MAX) return name
  return refuse('validation', {
    message: `The home has reached its limit of ${SCENES_MAX} scenes: ask an administrator to delete one.`,
  })
}

/** Change of a scene in local ids: ids in the body must be exposed (404), and operations the device's own (422). */
export function sceneChange(
  body: z.output<typeof SceneCreate> | z.output<typeof SceneEdit>,
  stored: Scene | null,
  context: { readonly view: ExposedHouse; readonly refuse: Refuse<'not_found'> },
): SceneChange {
  const { view, refuse } = context
  const steps = { steps: body.steps ?? undefined }
  const none = (): null => null
  const maps: ReferenceMaps = {
    ...{ scene: none, rule: none, group: none, room: none, floor: none },
    device: (id) => view.device(id)?.key ?? null,
  }
  const named = mapReferences(steps, maps)
  const place = placeOf(body, stored, context)
  if (!named) return refuse('not_found', missingIn(steps, maps))
  refuseProblem(
    problemWith(named, (key) => view.byKey(key)),
    refuse,
  )
  return { name: body.name ?? undefined, icon: body.icon, ...place, steps: named.steps }
}

/** Read-only fields that an edit may repeat. `running` is left out, because it may have changed by itself. */
function readOnly({ id, room, floor, origin, members, hiddenMembers }: ReturnType<typeof headOf>): object {
  return { id, room, floor, origin, members, hiddenMembers }
}

/** A scene in a list: exposed members by id, the others as a count (docs/automations.md#scenes). */
function headOf(scene: Scene, view: ExposedHouse) {
  const isVisible = (device: string): boolean => view.byKey(device) !== undefined
  const visible = viewScene(scene, isVisible)
  return {
    id: view.ids.of('scene', scene.id),
    name: scene.name,
    room: scene.room !== null && view.showsRoom(scene.room) ? view.ids.of('room', scene.room) : null,
    floor: scene.floor !== null && view.showsFloor(scene.floor) ? view.ids.of('floor', scene.floor) : null,
    icon: scene.icon,
    revision: visibleRevision(scene, isVisible),
    origin: scene.origin && { integration: scene.origin.integration, link: scene.origin.link },
    members: visible.members.map((key) => view.ids.device(key)),
    hiddenMembers: visible.hiddenMembers,
  }
}

function detailOf(scene: Scene, view: ExposedHouse, runner: SceneRunner) {
  const { steps } = viewScene(scene, (device) => view.byKey(device) !== undefined)
  return {
    ...headOf(scene, view),
    running: runner.running(scene.id),
    // Scenes do not run other scenes.
    steps: steps.flatMap((step): SceneStep[] => {
      if ('device' in step) return [{ ...step, device: view.ids.device(step.device) }]
      return 'delay' in step ? [step] : []
    }),
  }
}

interface Place {
  readonly room: string | null
  readonly floor: string | null
}

/** Floor and room in a body; missing fields stay as they are, null removes them. */
interface PlaceBody {
  readonly roomId?: string | null | undefined
  readonly floorId?: string | null | undefined
}

/**
 * Place of a scene in local ids. It has both a room and a floor only if the room is on the floor, as the integration
 * sees it (docs/automations.md#scenes). A stored hidden place gives way to a named one.
 */
export function placeOf(
  { roomId, floorId }: PlaceBody,
  stored: Pick<Scene, 'room' | 'floor'> | null,
  { view, refuse }: { readonly view: ExposedHouse; readonly refuse: Refuse<'not_found'> },
): Place | null {
  const floor = named(floorId, (id) => view.floor(id) ?? refuse('not_found', { field: 'floorId' }))
  const room = named(roomId, (id) => view.room(id) ?? refuse('not_found', { field: 'roomId' }))
  if (floor === undefined && room === undefined) return null
  const before = { room: stored?.room ?? null, floor: stored?.floor ?? null }
  const place = {
    floor: floor === undefined ? visibleFloor(before.floor, view) : floor,
    room: room === undefined ? visibleRoom(before.room, view) : room,
  }
  if (place.room && place.floor && place.room.floor !== place.floor.id)
    refuse('validation', {
      at: roomId === undefined ? '/floorId' : '/roomId',
      message: `${roomId === undefined ? 'floorId' : 'roomId'}: the room ${place.room.name} is not on the floor ${place.floor.name}. Send a matching roomId and floorId, or null for one of them.`,
    })
  return {
    floor:
      floor === undefined ? remaining(before.floor, place.floor, stays(room, before.room)) : (floor?.local ?? null),
    room: room === undefined ? remaining(before.room, place.room, stays(floor, before.floor)) : (room?.local ?? null),
  }
}

/** The stored room or floor that the body does not name; a hidden one stays only while the other one stays. */
function remaining(before: string | null, visible: object | null, otherStays: boolean): string | null {
  return visible !== null || otherStays ? before : null
}

function stays(named: { readonly local: string } | null | undefined, before: string | null): boolean {
  return !named || named.local === before
}

function named<T>(id: string | null | undefined, find: (id: string) => T): T | null | undefined {
  return typeof id === 'string' ? find(id) : id
}

function visibleRoom(local: string | null, view: ExposedHouse): ExposedRoom | null {
  return local === null ? null : (view.room(view.ids.of('room', local)) ?? null)
}

function visibleFloor(local: string | null, view: ExposedHouse): ExposedFloor | null {
  return local === null ? null : (view.floor(view.ids.of('floor', local)) ?? null)
}

interface RunParts {
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

/** Runs an exposed scene, for the control operation `run` and for `POST /v1/scenes/{id}/run`. */
export function runScene(
  parts: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): { device: string; run: { runId: string } } {
  const run = parts.scenes.run(scene.local, allowedToRun(parts, scene, call), 'person')
  if (!run.ok) return refuseRun(run.error, call.refuse)
  return { device: scene.id, run: { runId: run.value.runId } }
}

/** Cause of a run that may start now, or its refusal. */
export function allowedToRun(
  { scenes, unlocking }: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): Cause {
  const cause = unlocking.run(scene, call)
  const obstacle = scenes.obstacle()
  return obstacle === null ? cause : refuseRun(obstacle, call.refuse)
}
