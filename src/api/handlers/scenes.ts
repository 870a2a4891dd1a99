import type { z } from 'zod'
import type { Identity } from '../../auth/authenticator.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { ExposedFloor, ExposedHouse, ExposedRoom, ExposedScene } from '../../exposure/exposed-house.ts'
import type { IntegrationAdmin } from '../../exposure/integration-admin.ts'
import type { House } from '../../home/house/house.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Scene, Step } from '../../home/model/house.ts'
import type { SceneRunner } from '../../home/rules/rules.ts'
import { keptProblem, problemWith } from '../../home/rules/problems.ts'
import { mapReferences } from '../../home/model/rules.ts'
import { editScene, makeScene, type SceneChange, visibleRevision } from '../../home/rules/scenes/scene-edit.ts'
import { viewScene } from '../../home/rules/scenes/visible-steps.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { SceneCreate, SceneEdit, scenes } from '../contract/scenes.ts'
import { type Refuse, refuseRun } from '../errors.ts'
import type { HandlersOf } from '../handler.ts'
import type { KeptLists } from '../kept-lists.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'
import { missingIn, originOf, refuseProblem, refuseStale } from './saving.ts'

export interface SceneParts {
  readonly house: House
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
  readonly integrations: Pick<IntegrationAdmin, 'addPick'>
  readonly random: Random
  readonly lists: Pick<KeptLists, 'of'>
  /** Told that an integration sees the scene that it created, once the view that shows it can be built. */
  readonly accessChanges: Pick<Emitter<AccessChange>, 'emit'>
}

type SceneStep = Exclude<Step, { scene: string }>

const ID_LENGTH = 12
/** Scenes of one home. */
const SCENES_MAX = 500
/** Scenes that one integration made. */
const SCENES_OF_ONE_MAX = 250

export function sceneHandlers(parts: SceneParts): HandlersOf<typeof scenes> {
  return {
    'scenes.list': ({ view }) =>
      parts.lists.of(view, {
        name: 'scenes',
        items: view.scenes.flatMap((scene) => view.sceneContent(scene) ?? []),
        shown: (scene) => headOf(scene, view),
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
      // As with running, the scene counts as a whole: steps that stay hidden are saved anew too.
      parts.unlocking.save(edited.ok ? edited.value.steps : stored.steps, call)
      const current = visibleRevision(stored, (device) => view.byKey(device) !== undefined)
      if (typeof body.ifRevision !== 'number')
        refuse('validation', {
          message: 'ifRevision: is needed for an edit; it is the revision that you read.',
        })
      if (body.ifRevision !== current) refuseStale(current, refuse)
      refuseProblem(keptProblem({ ...body, ifRevision: current }, readOnly(headOf(stored, view))), refuse)
      if (!edited.ok)
        return refuse('validation', {
          message: 'steps: a scene has 100 steps at most, with those that others see.',
        })
      if (edited.value !== stored) parts.house.saveScene(edited.value, 'edited', cause)
      return { scene: detailOf(edited.value, view, parts.scenes) }
    },
  }
}

/** Who makes or edits a scene, what exists for them, and how they are refused. */
interface Asking {
  readonly view: ExposedHouse
  readonly identity: Identity
  readonly cause: Cause
  readonly refuse: Refuse<'not_found' | 'unlock_not_allowed'>
}

function createScene(parts: SceneParts, body: z.output<typeof SceneCreate>, asking: Asking): Scene {
  const { identity, cause } = asking
  const change = sceneChange(body, null, asking)
  const name = refuseNewScene(parts, change, asking)
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
 * Refuses to save a new scene that is right in itself: what opens an entrance needs allow_unlock, and a home holds so
 * many. Answers its name, which it needs.
 */
export function refuseNewScene(
  { house, unlocking }: Pick<SceneParts, 'house' | 'unlocking'>,
  { steps = [], name }: SceneChange,
  asking: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
): string {
  unlocking.save(steps, asking)
  const { refuse } = asking
  if (name === undefined) return refuse('validation', { message: 'name: a new scene needs one.' })
  const { id } = asking.identity.integration
  const own = [...house.scenes.values()].filter(({ origin }) => origin?.integration === id).length
  if (own >= SCENES_OF_ONE_MAX)
    return refuse('validation', {
      message: `This integration has made ${SCENES_OF_ONE_MAX} scenes, as many as one may: an administrator has to delete one first.`,
    })
  if (house.scenes.size < SCENES_MAX) return name
  return refuse('validation', {
    message: `A home holds ${SCENES_MAX} scenes at most: an administrator has to delete one first.`,
  })
}

/**
 * What a body asks for, in the home's own terms: its ids must be exposed (404), its operations the devices' own (422).
 */
export function sceneChange(
  body: z.output<typeof SceneCreate> | z.output<typeof SceneEdit>,
  stored: Scene | null,
  asking: { readonly view: ExposedHouse; readonly refuse: Refuse<'not_found'> },
): SceneChange {
  const { view, refuse } = asking
  const steps = { steps: body.steps ?? undefined }
  const mappings = [(id: string) => view.device(id)?.key ?? null, () => null] as const
  const named = mapReferences(steps, ...mappings)
  const place = placeOf(body, stored, asking)
  if (!named) return refuse('not_found', missingIn(steps, ...mappings))
  refuseProblem(
    problemWith(named, (key) => view.byKey(key)),
    refuse,
  )
  return { name: body.name ?? undefined, icon: body.icon, ...place, steps: named.steps }
}

/** What of a scene an edit brings back as it was read; whether it runs may have changed by itself. */
function readOnly({ id, room, floor, origin, members, hiddenMembers }: ReturnType<typeof headOf>): object {
  return { id, room, floor, origin, members, hiddenMembers }
}

/** A scene as lists show it: members that are exposed by id, the others as a count (docs/automations.md#scenes). */
function headOf(scene: Scene, view: ExposedHouse) {
  const isVisible = (device: string): boolean => view.byKey(device) !== undefined
  const shown = viewScene(scene, isVisible)
  return {
    id: view.ids.of('scene', scene.id),
    name: scene.name,
    room: scene.room !== null && view.showsRoom(scene.room) ? view.ids.of('room', scene.room) : null,
    floor: scene.floor !== null && view.showsFloor(scene.floor) ? view.ids.of('floor', scene.floor) : null,
    icon: scene.icon,
    revision: visibleRevision(scene, isVisible),
    origin: scene.origin && { integration: scene.origin.integration, link: scene.origin.link },
    members: shown.members.map((key) => view.ids.device(key)),
    hiddenMembers: shown.hiddenMembers,
  }
}

function detailOf(scene: Scene, view: ExposedHouse, runner: SceneRunner) {
  const { steps } = viewScene(scene, (device) => view.byKey(device) !== undefined)
  return {
    ...headOf(scene, view),
    running: runner.running(scene.id),
    // No scene runs another one.
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

/** The floor and room that a body names; a missing one stays, null takes it away. */
interface PlaceBody {
  readonly roomId?: string | null | undefined
  readonly floorId?: string | null | undefined
}

/**
 * Where a scene is to be shown, in local ids: a room and a floor only where the room lies on the floor, as the
 * integration sees it (docs/automations.md#scenes). What is stored and not shown makes way for what is named.
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
  const shown = {
    floor: floor === undefined ? shownFloor(before.floor, view) : floor,
    room: room === undefined ? shownRoom(before.room, view) : room,
  }
  if (shown.room && shown.floor && shown.room.floor !== shown.floor.id)
    refuse('validation', {
      message: `${roomId === undefined ? 'floorId' : 'roomId'}: the room ${shown.room.name} does not lie on the floor ${shown.floor.name}. Send a roomId and floorId that fit, or null for one of them.`,
    })
  return {
    floor: floor === undefined ? kept(before.floor, shown.floor, stays(room, before.room)) : (floor?.local ?? null),
    room: room === undefined ? kept(before.room, shown.room, stays(floor, before.floor)) : (room?.local ?? null),
  }
}

/** What is stored and not named: hidden, it stays while the other of the two does. */
function kept(before: string | null, shown: object | null, otherStays: boolean): string | null {
  return shown !== null || otherStays ? before : null
}

function stays(given: { readonly local: string } | null | undefined, before: string | null): boolean {
  return !given || given.local === before
}

function named<T>(id: string | null | undefined, find: (id: string) => T): T | null | undefined {
  return typeof id === 'string' ? find(id) : id
}

function shownRoom(local: string | null, view: ExposedHouse): ExposedRoom | null {
  return local === null ? null : (view.room(view.ids.of('room', local)) ?? null)
}

function shownFloor(local: string | null, view: ExposedHouse): ExposedFloor | null {
  return local === null ? null : (view.floor(view.ids.of('floor', local)) ?? null)
}

interface RunParts {
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

/** Runs an exposed scene; the control operation `run` and `POST /v1/scenes/{id}/run` are the same. */
export function runScene(
  parts: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): { device: string; run: { runId: string } } {
  const run = parts.scenes.run(scene.local, allowedToRun(parts, scene, call), 'person')
  if (!run.ok) return refuseRun(run.error, call.refuse)
  return { device: scene.id, run: { runId: run.value.runId } }
}

/** The cause with which a scene may run now, or the refusal of its run. */
export function allowedToRun(
  { scenes, unlocking }: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): Cause {
  const cause = unlocking.run(scene, call)
  const obstacle = scenes.obstacle()
  return obstacle === null ? cause : refuseRun(obstacle, call.refuse)
}
