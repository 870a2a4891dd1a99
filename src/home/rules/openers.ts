import type { Log } from '../../lib/log.ts'
import type { House } from '../house/house.ts'
import { type ChangePart, type UnitOfWork } from '../ports/activity-log.ts'
import { type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import { type DeviceClass, type DeviceKey, opensEntrance } from '../model/device.ts'
import type { Origin, Scene, Step } from '../model/house.ts'
import type { OpeningPolicy, OpeningRefusal } from '../ports/unit-bus.ts'
import { type RuleKind, type RuleOf, commandsOf } from '../model/rules.ts'
import type { RuleRepository } from './rule-repository.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** Names no lock or gate: it may stand in a step of a scene that is hidden from who reads it. */
const LAPSED = 'turned off: whoever saved it may no longer do what it does'

/** Of these nobody is there any more who could open. */
const HAS_ENDED: readonly OpeningRefusal[] = ['integration_deleted', 'integration_disabled', 'credential_ended']

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

/** The entrances of a house. */
export function entrancesOf({ devices, scenes }: Pick<House, 'devices' | 'scenes'>): Entrances {
  return {
    classOf: (device) => devices.get(device)?.class,
    stepsOf: (scene) => scenes.get(scene)?.steps ?? [],
  }
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
    return this.#switchedOff(this.#opensBy(whose), { ...GATEWAY_CAUSE, by: cause })
  }

  /**
   * At each start: switches off those that open by a leave that is gone, which a restored configuration or a house file
   * may hold, and says which. Where the disk takes no writes they stay on and open nothing, since each step is asked.
   */
  switchOffLapsed(work: UnitOfWork, log: Log): void {
    const { automations, schedules } = this.#parts
    const lapsed = (rule: RuleOf[RuleKind]): boolean => this.#isLapsed(rule)
    const names = [...automations.list(), ...schedules.list()].filter(lapsed).map(({ name }) => name)
    if (names.length === 0) return
    const parts = this.#switchedOff(lapsed, GATEWAY_CAUSE)
    try {
      work.change((record) => {
        for (const part of parts) part.store(record)
      })
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      return log.error({ err: error, rules: names }, 'Rules whose author may not open could not be switched off.')
    }
    for (const part of parts) part.apply()
    log.warn({ rules: names }, 'Rules that open a lock or gate were switched off: whoever saved them may open no more.')
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

  #switchedOff(which: (rule: RuleOf[RuleKind]) => boolean, cause: Cause): readonly ChangePart[] {
    const { automations, schedules } = this.#parts
    const ids = (rules: readonly RuleOf[RuleKind][]): readonly string[] => rules.filter(which).map(({ id }) => id)
    return [
      automations.switchedOff(ids(automations.list()), LAPSED, cause),
      schedules.switchedOff(ids(schedules.list()), LAPSED, cause),
    ]
  }

  /**
   * Whether it opens by a leave that its author had and has no more. One that only runs a scene may be older than the
   * lock in that scene: it goes on without that step while its author is there at all.
   */
  #isLapsed(rule: RuleOf[RuleKind]): boolean {
    const refusal = rule.enabled && rule.author !== null ? this.#parts.opening.refusalOf(rule.author) : null
    if (refusal === null) return false
    const stepsOf = HAS_ENDED.includes(refusal) ? this.#parts.stepsOf : (): readonly Step[] => []
    return openedBy(rule.then, { classOf: this.#parts.classOf, stepsOf }).length > 0
  }

  #opensBy(whose: (author: Origin) => boolean): (rule: RuleOf[RuleKind]) => boolean {
    return (rule) =>
      rule.enabled && rule.author !== null && whose(rule.author) && openedBy(rule.then, this.#parts).length > 0
  }
}
