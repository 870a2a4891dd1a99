import type { DeviceKey } from '../model/device.ts'
import type { Step } from '../model/house.ts'
import type { Command } from '../model/state.ts'
import type { Condition, Trigger } from './model.ts'

/** Whatever names devices and scenes: an automation, a schedule, a scene or a body that edits one. */
export interface Referring {
  readonly when?: readonly Trigger[] | undefined
  readonly if?: readonly Condition[] | undefined
  readonly then?: readonly Step[] | undefined
  readonly steps?: readonly Step[] | undefined
}

export interface References {
  readonly devices: ReadonlySet<string>
  readonly scenes: ReadonlySet<string>
}

/** Every device and scene that is named anywhere in it. */
export function referencesOf(rule: Referring): References {
  const devices = new Set<string>()
  const scenes = new Set<string>()
  for (const part of [...(rule.when ?? []), ...(rule.if ?? []), ...(rule.then ?? []), ...(rule.steps ?? [])]) {
    if ('device' in part) devices.add(part.device)
    if ('scene' in part) scenes.add(part.scene)
  }
  return { devices, scenes }
}

/** Maps one reference to another form, or answers null where the one who asks may not name it. */
export type MapReference = (reference: string) => string | null

/**
 * The same rule with every device and scene mapped, for example from device ids to device keys; null as soon as one of
 * them cannot be mapped.
 */
export function mapReferences<T extends Referring>(rule: T, mapDevice: MapReference, mapScene: MapReference): T | null {
  let complete = true
  const mapped = (reference: string, map: MapReference): string => {
    const to = map(reference)
    if (to === null) complete = false
    return to ?? reference
  }
  const part = <P extends Trigger | Condition | Step>(p: P): P => {
    if ('device' in p) return { ...p, device: mapped(p.device, mapDevice) }
    return 'scene' in p ? { ...p, scene: mapped(p.scene, mapScene) } : p
  }
  const answer: T = {
    ...rule,
    ...(rule.when && { when: rule.when.map(part) }),
    ...(rule.if && { if: rule.if.map(part) }),
    ...(rule.then && { then: rule.then.map(part) }),
    ...(rule.steps && { steps: rule.steps.map(part) }),
  }
  return complete ? answer : null
}

/** The first device or scene that cannot be mapped, by its place: `then[2].device`; null where all can be. */
export function firstUnmapped(rule: Referring, mapDevice: MapReference, mapScene: MapReference): string | null {
  for (const list of ['when', 'if', 'then', 'steps'] as const)
    for (const [index, part] of (rule[list] ?? []).entries()) {
      if ('device' in part && mapDevice(part.device) === null) return `${list}[${index}].device`
      if ('scene' in part && mapScene(part.scene) === null) return `${list}[${index}].scene`
    }
  return null
}

/**
 * Every command that the steps send, also through the scenes they run: what a gate such as unlocking (Spec 4 rule 2)
 * has to look at, so that nobody gets around it by a scene or an automation.
 */
export function commandsOf(
  steps: readonly Step[],
  stepsOfScene: (scene: string) => readonly Step[],
): readonly { device: DeviceKey; command: Command }[] {
  return steps.flatMap((step) => {
    if ('device' in step) return [{ device: step.device, command: commandOf(step) }]
    // A scene runs no scenes, so this goes one level deep.
    return 'scene' in step
      ? commandsOf(
          stepsOfScene(step.scene).filter((inner) => !('scene' in inner)),
          () => [],
        )
      : []
  })
}

export function commandOf(step: Extract<Step, { device: string }>): Command {
  const { device: _, ...command } = step
  return command
}
