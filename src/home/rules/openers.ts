import type { ChangePart } from '../ports/activity-log.ts'
import { type Cause, GATEWAY_CAUSE } from '../model/cause.ts'
import { type DeviceClass, type DeviceKey, opensEntrance } from '../model/device.ts'
import type { Origin, Scene, Step } from '../model/house.ts'
import type { OpeningPolicy } from '../ports/opening-policy.ts'
import type { RuleKind, RuleOf } from './model.ts'
import { commandsOf } from './references.ts'
import type { RuleRepository } from './rule-repository.ts'

/** Names no lock or gate: it may stand in a step of a scene that is hidden from who reads it. */
const LAPSED = 'turned off: whoever saved it may no longer do what it does'

/** What of the house decides whether steps open something. */
export interface Entrances {
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  /** The steps of a scene; none where there is no such scene. */
  readonly stepsOf: (scene: string) => readonly Step[]
}

/** The locks and gates that steps open, themselves or by a scene that they run. */
export function openedBy(steps: readonly Step[], { classOf, stepsOf }: Entrances): readonly DeviceKey[] {
  return commandsOf(steps, stepsOf).flatMap(({ device, command }) => {
    const deviceClass = classOf(device)
    return deviceClass !== undefined && opensEntrance(deviceClass, command.op) ? [device] : []
  })
}

interface OpenersParts extends Entrances {
  readonly automations: RuleRepository<'automation'>
  readonly schedules: RuleRepository<'schedule'>
  readonly opening: OpeningPolicy
}

/** The automations and schedules that open a lock or gate. */
export class Openers {
  readonly #parts: OpenersParts

  constructor(parts: OpenersParts) {
    this.#parts = parts
  }

  /**
   * Switches off those whose author answers to `whose`, in the transaction in which that author's leave ends: what a
   * key or integration may open no more does not stay switched on after it. The gateway does it, set off by `cause`.
   */
  switchOff(whose: (author: Origin) => boolean, cause: Cause): readonly ChangePart[] {
    const { automations, schedules } = this.#parts
    const found = [automations.list().filter(this.#opensBy(whose)), schedules.list().filter(this.#opensBy(whose))]
    const by = { ...GATEWAY_CAUSE, by: cause }
    const ids = found.map((rules) => rules.map(({ id }) => id))
    return [automations.switchedOff(ids[0] ?? [], LAPSED, by), schedules.switchedOff(ids[1] ?? [], LAPSED, by)]
  }

  /** Those that `switchOff` would switch off. */
  of(whose: (author: Origin) => boolean): readonly RuleOf[RuleKind][] {
    const { automations, schedules } = this.#parts
    return [...automations.list(), ...schedules.list()].filter(this.#opensBy(whose))
  }

  /** Scenes that open by a leave that `whose` ends: without it nobody may run them. What has none already is left out. */
  lapsing(whose: (author: Origin) => boolean, scenes: Iterable<Scene>): readonly Scene[] {
    const { opening } = this.#parts
    return [...scenes].filter(
      ({ author, steps }) =>
        author !== null &&
        whose(author) &&
        openedBy(steps, this.#parts).length > 0 &&
        opening.refusalOf(author) === null,
    )
  }

  #opensBy(whose: (author: Origin) => boolean): (rule: RuleOf[RuleKind]) => boolean {
    return (rule) =>
      rule.enabled && rule.author !== null && whose(rule.author) && openedBy(rule.then, this.#parts).length > 0
  }
}
