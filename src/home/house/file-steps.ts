import { z } from 'zod'
import { sentenceOf } from '../../lib/checked.ts'
import { strictObject } from '../../lib/late-object.ts'
import { type Result, fail, ok } from '../../lib/result.ts'
import type { DeviceClass } from '../model/device.ts'
import { parseStepCommand, RANDOM_SECONDS_MAX, type SceneStep, stepOperations } from '../model/steps.ts'
import type { classesOf } from './house.ts'

export const StepSection = z.union([
  strictObject(() => ({ device: z.string().min(1), op: z.string(), args: z.unknown().optional() })),
  strictObject(() => ({
    delay: z.number().min(0.1).max(3600),
    random: z.number().min(0.1).max(RANDOM_SECONDS_MAX).optional(),
  })),
])

/** Steps of a scene in a house file. The error names the step, without its scene. */
export function readSteps(
  steps: readonly z.output<typeof StepSection>[],
  classes: ReturnType<typeof classesOf>,
): Result<readonly SceneStep[], string> {
  const read: SceneStep[] = []
  for (const step of steps) {
    if ('delay' in step) {
      const { delay, random } = step
      read.push(random === undefined ? { delay } : { delay, random })
      continue
    }
    const deviceClass = classes.get(step.device)
    if (!deviceClass) return fail(`step names ${step.device}, which is not in the file.`)
    const op = stepOperations(deviceClass).find((operation) => operation === step.op)
    if (op === undefined) return fail(unsupportedOperation(step, deviceClass))
    const parsed = parseStepCommand(op, step.args)
    if (!parsed.ok) return fail(`${step.device} ${op}: ${sentenceOf(parsed.error, 'args')}`)
    read.push({ device: step.device, ...parsed.value })
  }
  return ok(read)
}

function unsupportedOperation(
  { device, op }: { readonly device: string; readonly op: string },
  deviceClass: DeviceClass,
): string {
  const taken = stepOperations(deviceClass).join(', ')
  return `${device} does not take ${op}; it takes ${taken === '' ? 'no operations' : taken}.`
}
