import type { Cause } from '../../model/events.ts'
import type { Scene } from '../../model/house.ts'
import type { Priority } from '../../ports/unit-bus.ts'
import type { CascadeLimits } from '../runs/cascade-limits.ts'
import { authored, causedBy } from '../runs/cause-chain.ts'
import { requestersOf, scenePrincipals } from '../runs/opening-check.ts'
import type { RunManager } from '../runs/run-manager.ts'

export interface SceneRun {
  readonly runId: string
  /** Resolves when the run has ended or first waits in a delay. */
  readonly paused: Promise<void>
}

/** Runs scenes; a newer run of a scene cancels the older one (docs/automations.md#scenes). */
export class SceneRuns {
  readonly #scenes: (id: string) => Scene | undefined
  readonly #runs: RunManager
  readonly #limits: CascadeLimits

  constructor(parts: { scenes: (id: string) => Scene | undefined; runs: RunManager; limits: CascadeLimits }) {
    this.#scenes = parts.scenes
    this.#runs = parts.runs
    this.#limits = parts.limits
  }

  /**
   * Starts a run and returns at once, or null if there is no such scene. `cause` and `principals` belong to the
   * request.
   */
  run(id: string, cause: Cause, priority: Priority, principals = requestersOf(cause)): SceneRun | null {
    const scene = this.#scenes(id)
    if (!scene) return null
    const self = authored({ source: 'scene', name: scene.name, ref: id }, scene.author)
    const sceneCause = causedBy(self, cause)
    this.#limits.inherit(sceneCause, cause)
    const taken = this.#runs.take({
      of: { kind: 'scene', id },
      steps: scene.steps,
      cause: sceneCause,
      priority,
      principals: scenePrincipals(scene, principals),
      mode: 'restart',
    })
    if (taken.kind !== 'started') throw new Error('A scene in restart mode must start.')
    return { runId: taken.id, paused: taken.paused }
  }

  running(id: string): boolean {
    return this.#runs.active({ kind: 'scene', id }) !== undefined
  }
}
