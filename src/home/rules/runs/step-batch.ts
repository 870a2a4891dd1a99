import type { Step } from '../../model/house.ts'
import type { ControlItem } from '../../ports/unit-bus.ts'
import { commandOf } from '../../model/rule-parts.ts'

/**
 * Simultaneous actions of a run: neighbouring steps for different devices are sent together. `step` is the first step,
 * `next` the one after the batch.
 */
export type StepBatch =
  | { readonly kind: 'group'; readonly step: number; readonly next: number; readonly items: readonly ControlItem[] }
  | { readonly kind: 'delay'; readonly step: number; readonly next: number; readonly ms: number }
  | { readonly kind: 'scene'; readonly step: number; readonly next: number; readonly scene: string }

/** True if a restart must know about a run of these steps: a run without a delay is over in a moment. */
export function needsStorage(steps: readonly Step[]): boolean {
  return steps.some((step) => 'delay' in step)
}

/** The batch that starts at a step, or null at the end. */
export function batchAt(steps: readonly Step[], from: number): StepBatch | null {
  const first = steps[from]
  if (first === undefined) return null
  if ('delay' in first) return { kind: 'delay', step: from, next: from + 1, ms: first.delay * 1_000 }
  if ('scene' in first) return { kind: 'scene', step: from, next: from + 1, scene: first.scene }
  const items: ControlItem[] = []
  const devices = new Set<string>()
  for (let index = from; index < steps.length; index += 1) {
    const step = steps[index]
    // A second step for the same device goes into the next batch, because a group frame has no order.
    if (step === undefined || !('device' in step) || devices.has(step.device)) break
    devices.add(step.device)
    items.push({ device: step.device, command: commandOf(step) })
  }
  return { kind: 'group', step: from, next: from + items.length, items }
}
