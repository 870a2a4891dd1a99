import type { Scene, Step } from '../../model/house.ts'
import type { Control, ControlFailure, Principal } from '../../ports/unit-bus.ts'
import { behindScene, type OpeningCheck, type RefusedOpening } from './opening-check.ts'
import { batchAt, type StepBatch } from './step-batch.ts'

/** Steps after which no further scene of a dry run tells its own. */
export const FORESEEN_MAX = 1_000

/** Why a step would not be made, as far as it is known before. */
export type StepObstacle =
  | ControlFailure
  | { readonly kind: 'no_scene' }
  | ({ readonly kind: 'not_allowed' } & RefusedOpening)

/** One step as a run that begins now would make it. */
export interface ForeseenStep {
  readonly step: Step
  /** Whether it opens a lock or gate itself. */
  readonly opens: boolean
  /** Seconds that the delays before it take. */
  readonly after: number
  readonly obstacle: StepObstacle | null
  /** The steps of the scene that it runs, where this is the first step that does, up to a bound; none otherwise. */
  readonly inner: readonly ForeseenStep[]
}

export interface DryRunParts {
  readonly check: Pick<OpeningCheck, 'opens' | 'refusalOf'>
  readonly control: Pick<Control, 'obstacle'>
  readonly scenes: (id: string) => Pick<Scene, 'steps' | 'author'> | undefined
}

/**
 * What a run would do that began now, taken apart as a run takes its steps apart and asked what a run asks; nothing is
 * sent, stored or recorded. Made anew for each answer, because it tells a scene's steps once.
 */
export class DryRun {
  readonly #parts: DryRunParts
  readonly #toldScenes = new Set<string>()
  #foreseen = 0

  constructor(parts: DryRunParts) {
    this.#parts = parts
  }

  /** Each of the steps in order, made on the authority of `principals` after `afterMs` of delays. */
  of(steps: readonly Step[], principals: readonly Principal[], afterMs = 0): readonly ForeseenStep[] {
    const foreseen: ForeseenStep[] = []
    let waitedMs = afterMs
    this.#foreseen += steps.length
    for (let batch = batchAt(steps, 0); batch !== null; batch = batchAt(steps, batch.next)) {
      for (const [index, step] of steps.slice(batch.step, batch.next).entries())
        foreseen.push({ step, after: waitedMs / 1_000, ...this.#made(batch, index, principals, waitedMs) })
      if (batch.kind === 'delay') waitedMs += batch.ms
    }
    return foreseen
  }

  #made(batch: StepBatch, index: number, principals: readonly Principal[], waitedMs: number): Made {
    if (batch.kind === 'delay') return NOTHING
    if (batch.kind === 'scene') return this.#scene(batch.scene, principals, waitedMs)
    const item = batch.items[index]
    if (item === undefined) return NOTHING
    const { check, control } = this.#parts
    const refused = check.refusalOf(item, principals)
    const obstacle = refused ? { kind: 'not_allowed' as const, ...refused } : control.obstacle(item)
    return { opens: check.opens(item), obstacle, inner: [] }
  }

  #scene(id: string, principals: readonly Principal[], waitedMs: number): Made {
    const scene = this.#parts.scenes(id)
    if (!scene) return { ...NOTHING, obstacle: { kind: 'no_scene' } }
    if (this.#toldScenes.has(id) || this.#foreseen >= FORESEEN_MAX) return NOTHING
    this.#toldScenes.add(id)
    return { ...NOTHING, inner: this.of(scene.steps, behindScene(scene, principals), waitedMs) }
  }
}

type Made = Omit<ForeseenStep, 'step' | 'after'>

const NOTHING: Made = { opens: false, obstacle: null, inner: [] }
