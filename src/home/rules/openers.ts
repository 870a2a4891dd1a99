import type { Log } from '../../lib/log.ts'
import type { House } from '../house/house.ts'
import { type ChangePart, type UnitOfWork } from '../ports/activity-log.ts'
import { type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import { type DeviceClass, type DeviceKey, opensEntrance } from '../model/device.ts'
import type { Origin, Scene } from '../model/house.ts'
import type { OpeningPolicy, OpeningRefusal } from '../ports/unit-bus.ts'
import type { RuleKind, RuleOf, Step } from '../model/rules.ts'
import type { SceneStep } from '../model/steps.ts'
import { commandsOf, linkedRules, type NamedRule, referencesOf } from '../model/rule-parts.ts'
import type { RuleRepository } from './rule-repository.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** The text names no lock or gate: that step may belong to a scene that is hidden from the reader. */
const LAPSED = 'turned off: its author no longer has the permission that it needs'

const EMPTIED = 'turned off: its groups have the devices that its author sees, and its author was deleted'

/** Refusals because the author's credential or integration has ended. */
const ENDED_AUTHOR: readonly OpeningRefusal[] = [
  ...(['integration_deleted', 'integration_disabled', 'integration_over', 'credential_ended'] as const),
]

/** The part of a house that decides whether steps open an entrance. */
export interface Entrances {
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  /** The steps of a scene; empty if there is no such scene. */
  readonly stepsOf: (scene: string) => readonly SceneStep[]
  /** A rule by its reference `automation:x`. */
  readonly ruleOf: NamedRule
}

/** Locks and gates that steps open: directly, through a scene, or through a rule that they switch on. */
export function openedEntrances(steps: readonly Step[], { classOf, stepsOf, ruleOf }: Entrances): readonly DeviceKey[] {
  const rules = [...linkedRules({ then: steps }, ruleOf, ({ enabled }) => enabled)]
  const all = rules.flatMap(({ rule }) => rule?.then ?? [])
  return commandsOf(all, stepsOf).flatMap(({ device, command }) => {
    const deviceClass = classOf(device)
    return deviceClass !== undefined && opensEntrance(deviceClass, command.op) ? [device] : []
  })
}

/** The entrances of a house. */
export function entrancesOf({ devices, scenes }: Pick<House, 'devices' | 'scenes'>, ruleOf: NamedRule): Entrances {
  return {
    ruleOf,
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
   * Disables the rules of affected authors, in the transaction that ends their permission: a rule must not stay enabled
   * without it. The gateway does it, caused by `cause`.
   */
  switchOff(affects: (author: Origin) => boolean, cause: Cause): readonly ChangePart[] {
    return this.#switchedOff(this.#opensBy(affects), LAPSED, { ...GATEWAY_CAUSE, by: cause })
  }

  /** Disables also the rules with groups, in the transaction that deletes their authors. */
  switchOffDeleted(affects: (author: Origin) => boolean, cause: Cause): readonly ChangePart[] {
    const emptied = this.#switchedOff(this.#groupsBy(affects), EMPTIED, { ...GATEWAY_CAUSE, by: cause })
    return [...this.switchOff(affects, cause), ...emptied]
  }

  /**
   * At each start, and when the time of an integration ends: disables rules whose author may no longer open locks or
   * gates, as in a restored configuration or a house file, and logs them. If the disk accepts no writes, it returns
   * false, and they stay enabled but open nothing, because each step is checked.
   */
  switchOffLapsed(work: UnitOfWork, log: Log): boolean {
    const { automations, schedules } = this.#parts
    const isLapsed = (rule: RuleOf[RuleKind]): boolean => this.#isLapsed(rule)
    const isEmptied = this.#groupsBy((author) => this.#parts.opening.refusalOf(author) === 'integration_deleted')
    const isOff = (rule: RuleOf[RuleKind]): boolean => isLapsed(rule) || isEmptied(rule)
    const names = [...automations.list(), ...schedules.list()].filter(isOff).map(({ name }) => name)
    if (names.length === 0) return true
    const parts = [
      ...this.#switchedOff(isLapsed, LAPSED, GATEWAY_CAUSE),
      ...this.#switchedOff((rule) => isEmptied(rule) && !isLapsed(rule), EMPTIED, GATEWAY_CAUSE),
    ]
    try {
      work.change((record) => {
        for (const part of parts) part.store(record)
      })
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      log.error({ err: error, rules: names }, 'Rules whose author ended could not be turned off.')
      return false
    }
    for (const part of parts) part.apply()
    log.warn(
      { rules: names },
      'Rules were turned off: their author may no longer open a lock or gate, or was deleted with the devices of their groups.',
    )
    return true
  }

  /** Rules that `switchOff` would disable. */
  affectedRules(affects: (author: Origin) => boolean): readonly RuleOf[RuleKind][] {
    const { automations, schedules } = this.#parts
    return [...automations.list(), ...schedules.list()].filter(this.#opensBy(affects))
  }

  /** Rules that `switchOffDeleted` would disable besides: their groups have the devices that their authors see. */
  emptiedRules(affects: (author: Origin) => boolean): readonly RuleOf[RuleKind][] {
    const { automations, schedules } = this.#parts
    return [...automations.list(), ...schedules.list()].filter(this.#groupsBy(affects))
  }

  /**
   * Scenes that open by a permission of affected authors: without it they cannot run. Scenes that already lack it are
   * left out.
   */
  affectedScenes(affects: (author: Origin) => boolean, scenes: Iterable<Scene>): readonly Scene[] {
    const { opening } = this.#parts
    return [...scenes].filter(
      ({ author, steps }) =>
        author !== null &&
        affects(author) &&
        openedEntrances(steps, this.#parts).length > 0 &&
        opening.refusalOf(author) === null,
    )
  }

  #switchedOff(isIncluded: (rule: RuleOf[RuleKind]) => boolean, what: string, cause: Cause): readonly ChangePart[] {
    const { automations, schedules } = this.#parts
    const ids = (rules: readonly RuleOf[RuleKind][]): readonly string[] => rules.filter(isIncluded).map(({ id }) => id)
    return [
      automations.switchedOff(ids(automations.list()), what, cause),
      schedules.switchedOff(ids(schedules.list()), what, cause),
    ]
  }

  /**
   * True if its author had a permission to open and lost it. A rule that only runs a scene may be older than the lock
   * in that scene. It goes on without that step as long as its author exists.
   */
  #isLapsed(rule: RuleOf[RuleKind]): boolean {
    const refusal = rule.enabled && rule.author !== null ? this.#parts.opening.refusalOf(rule.author) : null
    // Hours come back.
    if (refusal === null || refusal === 'outside_hours') return false
    const stepsOf = ENDED_AUTHOR.includes(refusal) ? this.#parts.stepsOf : (): readonly SceneStep[] => []
    return openedEntrances(rule.then, { ...this.#parts, stepsOf }).length > 0
  }

  #opensBy(affects: (author: Origin) => boolean): (rule: RuleOf[RuleKind]) => boolean {
    return (rule) =>
      rule.enabled && rule.author !== null && affects(rule.author) && openedEntrances(rule.then, this.#parts).length > 0
  }

  /** Rules with groups that do not open: those go off with the permission. */
  #groupsBy(affects: (author: Origin) => boolean): (rule: RuleOf[RuleKind]) => boolean {
    const opens = this.#opensBy(affects)
    return (rule) =>
      rule.enabled &&
      rule.author !== null &&
      affects(rule.author) &&
      referencesOf(rule).targets.length > 0 &&
      !opens(rule)
  }
}
