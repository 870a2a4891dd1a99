import type { ExposedHouse, ExposedScene } from '../../exposure/exposed-house.ts'
import type { House } from '../../home/house/house.ts'
import type { Step } from '../../home/model/house.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import type { scenes } from '../contract/scenes.ts'
import type { HandlersOf } from '../handler.ts'
import { runScene, type SceneUnlocks } from './run-scene.ts'

export interface SceneParts {
  readonly house: House
  readonly scenes: SceneRunner
  readonly sceneUnlocks: SceneUnlocks
}

export function sceneHandlers(parts: SceneParts): HandlersOf<typeof scenes> {
  return {
    'scenes.list': ({ view }) => ({ scenes: view.scenes.map((scene) => entryOf(scene, view, parts.scenes)) }),
    'scenes.get': ({ subject, view }) => ({ scene: { ...entryOf(subject, view, parts.scenes), steps: visibleSteps(subject, view) } }),
    'scenes.run': ({ subject, identity, cause }) => runScene(parts.scenes, parts.sceneUnlocks, subject, identity, cause),
  }
}

/** A scene as lists show it: members that are exposed by id, the others as a count (D5). */
export function entryOf(scene: ExposedScene, view: ExposedHouse, runner: SceneRunner): {
  id: string; name: string; room: string | null; floor: string | null; icon: string | null; revision: number
  origin: { integration: string; link: string } | null; members: string[]; hiddenMembers: number; running: boolean
} {
  const content = view.sceneContent(scene)
  const moved = new Set((content?.steps ?? []).flatMap((step) => ('device' in step ? [step.device] : [])))
  const members = [...moved].flatMap((key) => view.byKey(key)?.id ?? [])
  return {
    id: scene.id,
    name: scene.name,
    room: scene.room,
    floor: scene.floor,
    icon: content?.icon ?? null,
    revision: content?.revision ?? 1,
    origin: content?.origin ? { integration: content.origin.integration, link: content.origin.link } : null,
    members,
    hiddenMembers: moved.size - members.length,
    running: runner.running(scene.local),
  }
}

/** The steps that this integration may see, with its own device ids. */
export function visibleSteps(scene: ExposedScene, view: ExposedHouse): Record<string, unknown>[] {
  return (view.sceneContent(scene)?.steps ?? []).flatMap((step: Step): Record<string, unknown>[] => {
    if (!('device' in step)) return 'delay' in step ? [{ delay: step.delay }] : []
    const device = view.byKey(step.device)
    return device ? [{ device: device.id, op: step.op, ...(step.args ? { args: step.args } : {}) }] : []
  })
}
