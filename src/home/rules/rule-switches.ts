import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/durations.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import type { DeviceClass, DeviceKey } from '../model/device.ts'
import { referencesOf, stepsIn } from '../model/rule-parts.ts'
import { type Automation, parseRuleReference, type RuleKind, type RuleStep, type Schedule } from '../model/rules.ts'
import type { SceneStep } from '../model/steps.ts'
import {
  type RuleStore,
  runKey,
  type RunOf,
  type RunRecord,
  type SwitchEnd,
  type SwitchFailure,
} from '../ports/rule-store.ts'
import type { OpeningPolicy, OpeningRefusal, Principal } from '../ports/unit-bus.ts'
import { openedEntrances } from './openers.ts'
import type { RuleRepository } from './rule-repository.ts'
import { principalsOf } from './runs/opening-check.ts'

/** Longest time between two looks at the clock, which may jump or be trusted again. */
export const SWITCH_CHECK_MS = 30_000

/** Longest time until a temporary switch ends. */
export const SWITCH_MS_MAX = 366 * DAY_MS

interface RuleSwitchesParts {
  readonly rules: {
    readonly automations: RuleRepository<'automation'>
    readonly schedules: RuleRepository<'schedule'>
    readonly named: (reference: string) => Automation | Schedule | undefined
  }
  readonly store: Pick<RuleStore, 'switchEnds' | 'saveSwitchEnd' | 'dropSwitchEnd'>
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  readonly stepsOf: (scene: string) => readonly SceneStep[]
  readonly opening: OpeningPolicy
  readonly clock: Clock
  readonly isClockDoubted: () => boolean
  readonly log: Log
}

/** Switches rules for other rules, and at the end of temporary switches. */
export class RuleSwitches {
  readonly #parts: RuleSwitchesParts
  readonly #ends: Map<string, SwitchEnd>
  /** References of rules that switch rules. */
  readonly #switching = new Set<string>()
  /** The rule whose own run is switching it. */
  #byItself: string | null = null
  #cancel = (): void => {}

  constructor(parts: RuleSwitchesParts) {
    this.#parts = parts
    this.#ends = new Map(parts.store.switchEnds().map((end) => [end.rule, end]))
    for (const kind of ['automation', 'schedule'] as const)
      for (const rule of parts.rules[`${kind}s`].list()) this.#note(runKey({ kind, id: rule.id }), rule)
  }

  /** Switches what is due, and watches the clock from now on. */
  start(): void {
    this.#settle()
  }

  stop(): void {
    this.#cancel()
  }

  /** Performs a step of a run. Returns the reason of its failure, or null. */
  step(
    { rule, enabled }: RuleStep,
    { of, cause, principals }: Pick<RunRecord, 'of' | 'cause' | 'principals'>,
  ): SwitchFailure | null {
    const obstacle = this.obstacle({ rule, enabled }, principals)
    if (obstacle !== null) return obstacle.kind
    this.#byItself = runKey(of) === rule ? rule : null
    try {
      this.#set(rule, enabled, cause)
      return null
    } catch (error) {
      this.#parts.log.error({ err: error, rule }, 'A step could not switch a rule. The run continues.')
      return isStorageFailure(error) ? 'not_stored' : 'error'
    } finally {
      this.#byItself = null
    }
  }

  /** Predicts the failure of a step, with the first principal who may not open what the rule opens. */
  obstacle(
    { rule, enabled }: RuleStep,
    principals: readonly Principal[],
  ):
    | { readonly kind: 'no_rule' }
    | { readonly kind: 'not_allowed'; readonly principal: Principal; readonly refusal: OpeningRefusal }
    | null {
    const { rules, opening } = this.#parts
    const found = rules.named(rule)
    if (found === undefined) return { kind: 'no_rule' }
    if (!enabled || found.enabled || !this.opens(found)) return null
    for (const principal of [...principals, ...principalsOf(found.author)]) {
      const refusal = opening.refusalOf(principal)
      if (refusal !== null) return { kind: 'not_allowed', principal, refusal }
    }
    return null
  }

  opens({ then }: Pick<Automation, 'then'>): boolean {
    return openedEntrances(then, { ...this.#parts, ruleOf: this.#parts.rules.named }).length > 0
  }

  /** True if a run of this rule switched it off, now or (`atStart`) before a restart: the run then goes on. */
  isByItself(of: RunOf, atStart: boolean): boolean {
    const key = runKey(of)
    const rule = atStart ? this.#parts.rules.named(key) : undefined
    return this.#byItself === key || (rule !== undefined && referencesOf(rule).rules.has(key))
  }

  /** True if some rule of this kind switches rules: a change of one may hide it or show it. */
  hasSwitching(kind: RuleKind): boolean {
    return [...this.#switching].some((reference) => parseRuleReference(reference).kind === kind)
  }

  /** End of the temporary switch of a rule, epoch ms; null if it lasts. */
  untilOf(of: RunOf): number | null {
    return this.#ends.get(runKey(of))?.until ?? null
  }

  /** Notes that a rule gets the opposite of this state at `until` (epoch ms); null: never. */
  endAt(of: RunOf, enabled: boolean, until: number | null, cause: Cause): void {
    const rule = runKey(of)
    if (until === null) return this.#drop(rule)
    const end = { rule, enabled: !enabled, until, cause }
    this.#parts.store.saveSwitchEnd(end)
    this.#ends.set(rule, end)
    this.#arm()
  }

  /** Notes a changed rule. A temporary switch ends once somebody else has switched or deleted the rule. */
  ruleChanged(reference: string, rule: Automation | Schedule | null): void {
    this.#note(reference, rule)
    const end = this.#ends.get(reference)
    if (end !== undefined && (rule === null || rule.enabled === end.enabled)) this.#drop(reference)
  }

  #note(reference: string, rule: Automation | Schedule | null): void {
    if (rule !== null && stepsIn(rule.then).some((step) => 'rule' in step)) this.#switching.add(reference)
    else this.#switching.delete(reference)
  }

  #set(reference: string, enabled: boolean, cause: Cause): void {
    const { kind, id } = parseRuleReference(reference)
    this.#parts.rules[`${kind}s`].switch(id, enabled, cause)
  }

  #drop(rule: string): void {
    if (!this.#ends.delete(rule)) return
    this.#parts.store.dropSwitchEnd(rule)
    this.#arm()
  }

  /** Ends temporary switches at their time. A refusing disk is tried again at the next look. */
  #settle(): void {
    const { clock, isClockDoubted, log } = this.#parts
    for (const end of isClockDoubted() ? [] : this.#ends.values()) {
      if (clock.now() < end.until) continue
      try {
        // A rule that its author may not switch on any more stays off.
        if (this.obstacle(end, []) === null) this.#set(end.rule, end.enabled, { ...GATEWAY_CAUSE, by: end.cause })
        this.#drop(end.rule)
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        log.error({ err: error, rule: end.rule }, 'The end of a switch could not be stored. It is tried again.')
      }
    }
    this.#arm()
  }

  #arm(): void {
    this.#cancel()
    const next = Math.min(...[...this.#ends.values()].map(({ until }) => until))
    if (next === Infinity) return
    const left = next - this.#parts.clock.now()
    // An end that waits for the clock or the disk is looked at again later.
    const wait = left > 0 ? Math.min(left, SWITCH_CHECK_MS) : SWITCH_CHECK_MS
    this.#cancel = this.#parts.clock.after(wait, () => this.#settle())
  }
}
