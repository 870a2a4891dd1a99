import type { Scene, Step } from '../../model/house.ts'
import type { Control, ControlFailure, Principal } from '../../ports/unit-bus.ts'
import { scenePrincipals, type OpeningCheck, type RefusedOpening } from './opening-check.ts'
import { batchAt, type StepBatch } from './step-batch.ts'

/** Number of steps after which a dry run expands no further scene. */
export const FORESEEN_MAX = 1_000

/** Predictable reason why a step would fail. */
export type StepObstacle =
  | ControlFailure
  | { readonly kind: 'no_scene' }
  | ({ readonly kind: 'not_allowed' } & RefusedOpening)

/** One step as a run that starts now would perform it. */
export interface ForeseenStep {
  readonly step: Step
  /** True if the step itself opens a lock or gate. */
  readonly opens: boolean
  /** Total seconds of the delays before it. */
  readonly after: number
  readonly obstacle: StepObstacle | null
  /** The steps of the scene that it runs, for the first such step and up to a bound; else empty. */
  readonly inner: readonly ForeseenStep[]
}

export interface DryRunSources {
  readonly check: Pick<OpeningCheck, 'opens' | 'refusalOf'>
  readonly control: Pick<Control, 'obstacle'>
  readonly scenes: (id: string) => Pick<Scene, 'steps' | 'author'> | undefined
}

/**
 * Predicts a run that would start now. It splits and checks the steps as a run does; nothing is sent, stored or
 * recorded. Each response needs a new one, because it expands each scene once.
 */
export class DryRun {
  readonly #parts: DryRunSources
  readonly #expandedScenes = new Set<string>()
  #foreseen = 0

  constructor(parts: DryRunSources) {
    this.#parts = parts
  }

  /** The steps in order, run with the permissions of `principals` after `afterMs` of delays. */
  of(steps: readonly Step[], principals: readonly Principal[], afterMs = 0): readonly ForeseenStep[] {
    const foreseen: ForeseenStep[] = []
    let waitedMs = afterMs
    this.#foreseen += steps.length
    for (let batch = batchAt(steps, 0); batch !== null; batch = batchAt(steps, batch.next)) {
      for (const [index, step] of steps.slice(batch.step, batch.next).entries())
        foreseen.push({ step, after: waitedMs / 1_000, ...this.#outcome(batch, index, principals, waitedMs) })
      if (batch.kind === 'delay') waitedMs += batch.ms
    }
    return foreseen
  }

  #outcome(batch: StepBatch, index: number, principals: readonly Principal[], waitedMs: number): StepOutcome {
    if (batch.kind === 'delay') return NO_OBSTACLE
    if (batch.kind === 'scene') return this.#scene(batch.scene, principals, waitedMs)
    const item = batch.items[index]
    if (item === undefined) return NO_OBSTACLE
    const { check, control } = this.#parts
    const refused = check.refusalOf(item, principals)
    const obstacle = refused ? { kind: 'not_allowed' as const, ...refused } : control.obstacle(item)
    return { opens: check.opens(item), obstacle, inner: [] }
  }

  #scene(id: string, principals: readonly Principal[], waitedMs: number): StepOutcome {
    const scene = this.#parts.scenes(id)
    if (!scene) return { ...NO_OBSTACLE, obstacle: { kind: 'no_scene' } }
    if (this.#expandedScenes.has(id) || this.#foreseen >= FORESEEN_MAX) return NO_OBSTACLE
    this.#expandedScenes.add(id)
    return { ...NO_OBSTACLE, inner: this.of(scene.steps, scenePrincipals(scene, principals), waitedMs) }
  }
}

type StepOutcome = Omit<ForeseenStep, 'step' | 'after'>

const NO_OBSTACLE: StepOutcome = { opens: false, obstacle: null, inner: [] }
