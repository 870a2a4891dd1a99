import type { Random } from '../../../lib/random.ts'
import { type PartPath, stepsIn } from '../../model/rule-parts.ts'
import type { Step } from '../../model/rules.ts'
import type { DelayStep, DeviceStep } from '../../model/steps.ts'

/** A step that acts alone. */
export type SingleStep = Exclude<Step, DeviceStep>

/**
 * Simultaneous actions of a run: neighbouring steps for different devices are sent together. `step` is the first step
 * of its list, `next` the one after the batch.
 */
export type StepBatch = { readonly step: number; readonly next: number } & (
  | { readonly kind: 'group'; readonly items: readonly DeviceStep[] }
  | { readonly kind: 'single'; readonly one: SingleStep }
)

/** True if a restart must know about a run of these steps: a run without a pause is over in a moment. */
export function needsStorage(steps: readonly Step[]): boolean {
  return stepsIn(steps).some((step) => pauseSecondsMax(step) !== null)
}

/** Longest pause of a step in seconds, without the steps inside it; null for a step without a pause. */
export function pauseSecondsMax(step: Step): number | null {
  if ('delay' in step) return step.delay + (step.random ?? 0)
  if ('wait' in step) return step.timeout
  return 'repeat' in step ? step.every : null
}

/** The step at a place; undefined if there is none. */
export function stepAt(steps: readonly Step[], path: PartPath): Step | undefined {
  const [first, key, ...rest] = path
  const step = steps[Number(first)]
  if (step === undefined || key === undefined) return step
  const inner = (step as Readonly<Record<string, unknown>>)[key]
  return Array.isArray(inner) ? stepAt(inner as readonly Step[], rest) : undefined
}

/** The batch that starts at a step of a list, or null at the end. */
export function batchAt(steps: readonly Step[], from: number): StepBatch | null {
  const first = steps[from]
  if (first === undefined) return null
  if (!('device' in first)) return { kind: 'single', step: from, next: from + 1, one: first }
  const items: DeviceStep[] = []
  const devices = new Set<string>()
  for (let index = from; index < steps.length; index += 1) {
    const step = steps[index]
    // A second step for the same device goes into the next batch, because a group frame has no order.
    if (step === undefined || !('device' in step) || devices.has(step.device)) break
    devices.add(step.device)
    items.push(step)
  }
  return { kind: 'group', step: from, next: from + items.length, items }
}

/** Fields of steps that act at once. */
export const ACTING: readonly string[] = ['device', 'group', 'scene', 'mode', 'tell', 'rule']

/** A delay, or a step with others inside, is in progress from its begin; other steps once they are on the disk. */
export function isPausing(batch: StepBatch): boolean {
  return batch.kind === 'single' && !['restore', ...ACTING].some((field) => field in batch.one)
}

/** Seconds of a delay, chosen by chance to a tenth. */
export function secondsOf({ delay, random: most }: DelayStep, random: Random): number {
  if (most === undefined) return delay
  const chance = random.bytes(4).readUInt32BE() / 2 ** 32
  return Math.round((delay + most * chance) * 10) / 10
}
