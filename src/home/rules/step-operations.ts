import type { Problem } from '../../lib/checked.ts'
import { isObject } from '../../lib/json.ts'
import { type DeviceClass, OPERATIONS, type Operation, possibleOperations } from '../model/device.ts'

/** The part of a field's path that leads to a step, as in `automations[1].then[0].args.bri`. */
const STEP = /^.*\b(?:then|steps)\[\d+\](?=\.|$)/

/** Why a step's operation is refused, as the end of a sentence that begins with the field. */
export function notOfClass(deviceClass: DeviceClass): string {
  const operations = possibleOperations(deviceClass)
  const taken = operations.length === 0 ? 'it takes no operations' : `it takes ${operations.join(', ')}`
  return `is not an operation of a ${deviceClass}; ${taken}`
}

/**
 * The problem that a schema found in a body, or that of the step's operation. The schema of a step knows no devices:
 * for a wrong operation it names those of any device. `classOf` answers undefined for devices that the caller cannot see.
 */
export function operationProblem(
  problem: Problem,
  body: unknown,
  classOf: (device: string) => DeviceClass | undefined,
): Problem {
  const [path] = STEP.exec(problem.field) ?? []
  const step = path === undefined ? undefined : valueAt(body, path)
  if (!isObject(step) || typeof step['device'] !== 'string' || typeof step['op'] !== 'string') return problem
  const { op, device } = step as { readonly op: string; readonly device: string }
  const deviceClass = classOf(device)
  const operations: readonly string[] = deviceClass === undefined ? OPERATIONS : possibleOperations(deviceClass)
  if (operations.includes(op)) return problem
  const message = deviceClass === undefined ? `must be one of ${OPERATIONS.join(', ')}` : notOfClass(deviceClass)
  return { field: `${path}.op`, message }
}

/** Whether a word is an operation of some device. */
export const isOperation = (word: string): word is Operation => OPERATIONS.some((each) => each === word)

function valueAt(body: unknown, path: string): unknown {
  const keys = path.match(/[^.[\]]+/g) ?? []
  return keys.reduce<unknown>(
    (value, key) => (Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined),
    body,
  )
}
