import type { DeviceKey } from './device.ts'
import type { Condition, Step, Trigger } from './rules.ts'
import type { DeviceStep, SceneStep, StepCommand } from './steps.ts'

/**
 * The parts of a rule: triggers, conditions and steps. A part may hold other parts, so that a rule is a tree. Every
 * look at all parts goes through this file.
 */
export type RulePart = Trigger | Condition | Step

/** Keys that lead to a part from its rule: `['if', 0, 'any', 1]`. */
export type PartPath = readonly (string | number)[]

/** A part, its kind and its place in the rule. */
export type PlacedPart = { readonly path: PartPath } & (
  | { readonly kind: 'trigger'; readonly part: Trigger }
  | { readonly kind: 'condition'; readonly part: Condition }
  | { readonly kind: 'step'; readonly part: Step }
)

/** An object that holds parts: an automation, a schedule, a scene, or a body that edits one. */
export interface Referring {
  readonly when?: readonly Trigger[] | undefined
  readonly if?: readonly Condition[] | undefined
  readonly then?: readonly Step[] | undefined
  readonly steps?: readonly Step[] | undefined
}

/** Fields that hold parts, in the order of reading, with the kind of these parts. */
const PART_FIELDS = [
  ['when', 'trigger'],
  ['if', 'condition'],
  ['any', 'condition'],
  ['all', 'condition'],
  ['not', 'condition'],
  ['wait', 'condition'],
  ['until', 'condition'],
  ['then', 'step'],
  ['else', 'step'],
  ['repeat', 'step'],
  ['steps', 'step'],
] as const satisfies readonly (readonly [string, PlacedPart['kind']])[]

/** A field with parts. A single part stands in the field itself (`isList` false). */
interface PartField {
  readonly field: string
  readonly isList: boolean
  readonly placed: readonly PlacedPart[]
}

function partFieldsOf(owner: object, path: PartPath): readonly PartField[] {
  return PART_FIELDS.flatMap(([field, kind]): readonly PartField[] => {
    const value = (owner as Readonly<Record<string, readonly RulePart[] | RulePart | undefined>>)[field]
    if (typeof value !== 'object') return []
    const parts = isList(value) ? value : [value]
    const placed = parts.map((part, index) => {
      return { kind, part, path: isList(value) ? [...path, field, index] : [...path, field] } as PlacedPart
    })
    return [{ field, isList: isList(value), placed }]
  })
}

function isList(value: readonly RulePart[] | RulePart): value is readonly RulePart[] {
  return Array.isArray(value)
}

/** Every part of a rule or of another part. An outer part comes before its inner ones. */
export function* partsOf(owner: object, path: PartPath = []): Generator<PlacedPart> {
  for (const { placed } of partFieldsOf(owner, path))
    for (const one of placed) {
      yield one
      yield* partsOf(one.part, one.path)
    }
}

/** Changes a part; null removes it. */
export type PartChange = (placed: PlacedPart) => RulePart | null

/**
 * A copy of a rule with changed parts. Inner parts are changed after their outer part, which is removed once it loses
 * all parts of a field. A branch may lose its `else`.
 */
export function mapParts<T extends object>(owner: T, change: PartChange, path: PartPath = []): T {
  const fields = partFieldsOf(owner, path).map((its) => {
    const parts = its.placed.flatMap((placed) => {
      const outer = change(placed)
      const whole = outer === null ? null : mapParts(outer, change, placed.path)
      return whole === null || isHollow(whole) ? [] : [whole]
    })
    return [its.field, its.isList ? parts : (parts[0] ?? [])] as const
  })
  const mapped = { ...owner, ...Object.fromEntries(fields) }
  if (fields.some(([field, parts]) => field === 'else' && Array.isArray(parts) && parts.length === 0))
    Reflect.deleteProperty(mapped, 'else')
  return mapped
}

/** True if a part has lost all parts of a field. */
function isHollow(part: RulePart): boolean {
  return partFieldsOf(part, []).some(({ placed }) => placed.length === 0)
}

interface References {
  readonly devices: ReadonlySet<string>
  readonly scenes: ReadonlySet<string>
  readonly modes: ReadonlySet<string>
}

/** Every device, scene and mode that the rule names. */
export function referencesOf(rule: Referring): References {
  const devices = new Set<string>()
  const scenes = new Set<string>()
  const modes = new Set<string>()
  for (const { part } of partsOf(rule)) {
    if ('device' in part) devices.add(part.device)
    if ('scene' in part) scenes.add(part.scene)
    for (const mode of modesOf(part)) modes.add(mode)
  }
  return { devices, scenes, modes }
}

/** Modes that a part names; a condition may name several. */
function modesOf(part: RulePart): readonly string[] {
  if (!('mode' in part)) return []
  return typeof part.mode === 'string' ? [part.mode] : part.mode
}

/** Path of the first mode that is not there: `['if', 0, 'mode']`. Null if all are. */
export function firstMissingMode(rule: Referring, isThere: (mode: string) => boolean): PartPath | null {
  for (const { part, path } of partsOf(rule)) if (!modesOf(part).every(isThere)) return [...path, 'mode']
  return null
}

/** Maps one reference to another form; null if the caller may not name it. */
export type MapReference = (reference: string) => string | null

/**
 * Maps every device and scene of a rule, for example from device ids to device keys. Null if one of them cannot be
 * mapped.
 */
export function mapReferences<T extends Referring>(rule: T, mapDevice: MapReference, mapScene: MapReference): T | null {
  let complete = true
  const mapped = (reference: string, map: MapReference): string => {
    const to = map(reference)
    if (to === null) complete = false
    return to ?? reference
  }
  const answer = mapParts(rule, ({ part }) => {
    if ('device' in part) return { ...part, device: mapped(part.device, mapDevice) }
    return 'scene' in part ? { ...part, scene: mapped(part.scene, mapScene) } : part
  })
  return complete ? answer : null
}

/** Path of the first device or scene that cannot be mapped: `['then', 2, 'device']`. Null if all can be mapped. */
export function firstUnmapped(rule: Referring, mapDevice: MapReference, mapScene: MapReference): PartPath | null {
  for (const { part, path } of partsOf(rule)) {
    if ('device' in part && mapDevice(part.device) === null) return [...path, 'device']
    if ('scene' in part && mapScene(part.scene) === null) return [...path, 'scene']
  }
  return null
}

/**
 * Every command that the steps send, including those in scenes. A gate such as unlocking (Spec 4 rule 2) checks them
 * all, so that a scene or automation cannot bypass it.
 */
export function commandsOf(
  steps: readonly Step[],
  stepsOfScene: (scene: string) => readonly SceneStep[],
): readonly { device: DeviceKey; command: StepCommand }[] {
  return stepsIn(steps).flatMap((step) => {
    if ('device' in step) return [{ device: step.device, command: commandOf(step) }]
    // A scene runs no scenes, so this goes one level deep.
    return 'scene' in step ? commandsOf(stepsOfScene(step.scene), () => []) : []
  })
}

/** The steps with those inside them. */
export function stepsIn(steps: readonly Step[]): readonly Step[] {
  return [...partsOf({ steps })].flatMap(({ kind, part }) => (kind === 'step' ? [part] : []))
}

export function commandOf(step: DeviceStep): StepCommand {
  const { device: _, ...command } = step
  return command
}
