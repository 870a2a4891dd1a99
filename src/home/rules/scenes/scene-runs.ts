import type { Cause } from '../../model/events.ts'
import type { Scene } from '../../model/house.ts'
import type { Priority } from '../../ports/unit-bus.ts'
import { setOffBy, type SetOffBounds } from '../runs/set-off-bounds.ts'
import { askerOf, behindScene } from '../runs/opening-check.ts'
import type { RunManager } from '../runs/run-manager.ts'

export interface SceneRun {
  readonly runId: string
  /** Resolves when the run has ended or first waits in a delay. */
  readonly paused: Promise<void>
}

/** Runs scenes; a newer run of a scene cancels the older (docs/automations.md#scenes). */
export class SceneRuns {
  readonly #scenes: (id: string) => Scene | undefined
  readonly #runs: RunManager
  readonly #bounds: SetOffBounds

  constructor(parts: { scenes: (id: string) => Scene | undefined; runs: RunManager; bounds: SetOffBounds }) {
    this.#scenes = parts.scenes
    this.#runs = parts.runs
    this.#bounds = parts.bounds
  }

  /** Begins a run and answers at once, or null where there is no such scene. `cause` and `principals` are who asked. */
  run(id: string, cause: Cause, priority: Priority, principals = askerOf(cause)): SceneRun | null {
    const scene = this.#scenes(id)
    if (!scene) return null
    const own: Cause = setOffBy({ source: 'scene', name: scene.name, ref: id }, cause)
    this.#bounds.follows(own, cause)
    const taken = this.#runs.take({
      of: { kind: 'scene', id },
      steps: scene.steps,
      cause: own,
      priority,
      principals: behindScene(scene, principals),
      mode: 'restart',
    })
    if (taken.kind !== 'started') throw new Error('A scene starts whenever it is asked to.')
    return { runId: taken.id, paused: taken.paused }
  }

  running(id: string): boolean {
    return this.#runs.active({ kind: 'scene', id }) !== undefined
  }
}
