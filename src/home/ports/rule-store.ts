import { HOUR_MS } from '../../lib/durations.ts'
import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/events.ts'
import type { DeviceKey, DeviceState } from '../model/device.ts'
import type { Origin, RevisionMarks } from '../model/house.ts'
import type { MessageSubjects } from '../model/messages.ts'
import type { RuleKind, RuleOf, Step, TellStep } from '../model/rules.ts'
import type { PartPath } from '../model/rule-parts.ts'
import type { Principal, ControlFailure, Priority } from './unit-bus.ts'

export type RunKind = RuleKind | 'scene'

/** The subject of a run: an automation, a schedule or a scene, by its id. */
export interface RunOf {
  readonly kind: RunKind
  readonly id: string
}

/** Key of a run's subject; for a rule also the owner of its claims and holds. */
export function runKey({ kind, id }: RunOf): string {
  return `${kind}:${id}`
}

/** A device that a run has changed: its state before, null if unknown, and after the last change by the run. */
export interface ChangedDevice {
  readonly device: DeviceKey
  readonly before: DeviceState | null
  readonly after: DeviceState
  /** True if somebody else has changed it since. */
  readonly isTheirs: boolean
}

/** The place of a run in its steps, which may be inside other steps. */
export interface RunPlace {
  /** Keys of the current or next step: `[3, 'then', 0]`. */
  readonly path: PartPath
  /** Finished rounds of each repeat around it, and of itself, the outermost first. */
  readonly rounds: readonly number[]
  /** Number of steps that the run has performed. */
  readonly performed: number
  /** Steady ms that the run has lasted, at the end of its present pause. */
  readonly lastedMs: number
  /** End of its present pause in steady ms, which no clock change moves; missing in runs of an earlier version. */
  readonly steadyEnd?: number
  /** Only of runs that restore earlier states. */
  readonly changed?: readonly ChangedDevice[]
  /** Credentials behind home facts that the run read on its way, with those of its cause. */
  readonly answerable?: readonly Origin[]
}

/**
 * A failed step. `at`: its place if it is inside another step, a JSON Pointer. `no_scene`, `no_group`, `no_mode`: it no
 * longer exists; `not_allowed`: it may not open an entrance; `error`: a defect of the gateway, explained in its log; `unknown_state`: it
 * changes a state that is not known; `unmet`: the conditions of a repeat did not hold in time; `too_many_steps`,
 * `too_long`: the run reached a bound; `may_not_tell`, `told_enough`: a message was not sent.
 */
export interface StepFailure {
  readonly step: number
  readonly at?: string
  readonly device?: string
  readonly scene?: string
  readonly reason:
    | ControlFailure['kind']
    | ('no_scene' | 'no_group' | 'no_mode' | 'not_allowed' | 'error' | 'unknown_state' | 'unmet')
    | ('too_many_steps' | 'too_long')
    | TellFailure
    | SwitchFailure
}

/** `no_rule`: it no longer exists; `not_allowed`: it opens an entrance; `not_stored`: the disk accepts no writes. */
export type SwitchFailure = 'no_rule' | 'not_allowed' | 'not_stored' | 'error'

/** The end of a temporary switch of a rule. */
export interface SwitchEnd {
  /** Its reference: `automation:x`. */
  readonly rule: string
  /** Its state from then on. */
  readonly enabled: boolean
  /** Epoch ms. */
  readonly until: number
  /** Cause of the temporary switch. */
  readonly cause: Cause
}

/** `may_not_tell`: the author of the rule may not; `told_enough`: the rule or the home has sent its messages for now. */
export type TellFailure = 'may_not_tell' | 'told_enough'

/** Facts about the trigger of a run that sends messages. */
export interface RunTrigger {
  /** Null for a time or a scene. */
  readonly device: DeviceKey | null
  /** The tested value in words when it triggered. */
  readonly value: string | null
  /** Things that the rule names; only readers who see them all get its messages. */
  readonly subjects: MessageSubjects
}

/** Sends the messages of rules. */
export interface Teller {
  /** Null if it was sent. */
  tell(step: TellStep, run: Pick<RunRecord, 'of' | 'principals' | 'trigger' | 'startedAt'>): TellFailure | null
  /** The outcome of `tell` for a rule now, without sending; `of` is null for an unsaved one. */
  obstacle(step: TellStep, run: Pick<RunRecord, 'principals'> & { readonly of: RunOf | null }): TellFailure | null
}

/** A run as stored for a restart. It has the steps of its start: an edit does not change a run in progress. */
export interface RunRecord {
  readonly id: string
  readonly of: RunOf
  readonly steps: readonly Step[]
  readonly cause: Cause
  readonly priority: Priority
  /** Principals whose permission its openings need; empty for rules of administrators. */
  readonly principals: readonly Principal[]
  /** Epoch ms. */
  readonly startedAt: number
  /** The current or next step; -1 while the run waits for its turn. */
  readonly step: number
  /** Its place in the steps; null in a run of an earlier version, which had no steps inside others. */
  readonly place: RunPlace | null
  /** Only of runs that send messages; else null. */
  readonly trigger: RunTrigger | null
  /** While the run pauses: the end in epoch ms. */
  readonly resumeAt: number | null
  readonly failures: readonly StepFailure[]
}

/** The part of a record that changes during the run. */
export type RunProgress = Pick<RunRecord, 'step' | 'place' | 'resumeAt' | 'failures'>

/**
 * One occurrence of a daily time, to run once. `owner` is `automation:ID` or `schedule:ID`, `slot` the time, `date` the
 * local date.
 */
export interface Claim {
  readonly owner: string
  readonly slot: string
  readonly date: string
  /** Epoch ms. */
  readonly at: number
  /** True if the occurrence was too late to run and was reported as missed. */
  readonly missed: boolean
  /** Time of the occurrence in ms of steady time, which no clock change moves; null if unknown. */
  readonly steadyAt: number | null
}

/** A new occurrence. `dueAt`: its due time in ms of steady time, by the present wall clock. */
export type NewClaim = Claim & { readonly dueAt: number }

/**
 * Shortest distance of two occurrences with the same date and time. After it, the earlier one came from a wrong clock.
 * Within it, the clock went back during one day (docs/automations.md#restarts-crashes-and-clocks).
 */
export const NEW_OCCURRENCE_MS = 12 * HOUR_MS

/**
 * True if an occurrence counts although its date was claimed before. A claim that was only reported as missed may still
 * run. If it was reported before its due time, it may also be missed again.
 */
export function isNewOccurrence(
  before: Pick<Claim, 'missed' | 'steadyAt'>,
  now: Pick<NewClaim, 'missed' | 'dueAt'> & { readonly steadyAt: number },
): boolean {
  if (before.missed && !now.missed) return true
  if (before.steadyAt === null) return false
  return (before.missed && before.steadyAt < now.dueAt) || now.steadyAt - before.steadyAt >= NEW_OCCURRENCE_MS
}

/** A trigger's `for` that is running or over. */
export interface Hold {
  readonly owner: string
  readonly slot: string
  /** Steady ms at which the test began to hold. */
  readonly since: number
  readonly fired: boolean
  /** Cause of the test's begin; null if unknown. */
  readonly cause: Cause | null
}

/** Most claims for each owner and slot: enough to recognise dates that a clock which jumps back repeats. */
export const CLAIMS_PER_SLOT_MAX = 8
/** Most claims for each owner: it bounds the claims of times that an edit removed. */
export const CLAIMS_PER_OWNER_MAX = 200

/**
 * Automations and schedules, and the state of their runs for a restart. `insert`, `replace` and `remove` run inside
 * `UnitOfWork.change`. Every other write is a transaction of its own that does not wait for the disk.
 */
export interface RuleStore {
  readonly revisions: RevisionMarks
  /** In the order of their creation. */
  all<K extends RuleKind>(kind: K): readonly RuleOf[K][]
  insert<K extends RuleKind>(kind: K, rule: RuleOf[K]): void
  /**
   * Compare and set: stores the rule only if the stored one has `ifRevision`. Fails with the current revision, or null
   * if there is no such rule.
   */
  replace<K extends RuleKind>(kind: K, rule: RuleOf[K], ifRevision: number): Result<null, number | null>
  /** Removes the rule with its runs, claims and holds. */
  remove(kind: RuleKind, id: string): void
  /** Pauses an automation; its revision stays. */
  pause(id: string): void

  runs(): readonly RunRecord[]
  begin(run: RunRecord): void
  /**
   * Claims an occurrence and starts its run in the same transaction. Returns false and stores nothing if it was claimed
   * before, unless it is a new occurrence (`isNewOccurrence`).
   */
  claim(claim: NewClaim, run: RunRecord | null): boolean
  claims(): readonly Claim[]
  progress(run: string, at: RunProgress): void
  end(run: string): void
  /**
   * Resolves when all writes so far would survive a power cut; awaited before an action that must not happen twice.
   * @throws StorageUnavailable
   */
  onDisk(): Promise<void>

  holds(): readonly Hold[]
  /** Makes the writes of `run` one transaction. */
  together(run: () => void): void
  saveHold(hold: Hold): void
  switchEnds(): readonly SwitchEnd[]
  saveSwitchEnd(end: SwitchEnd): void
  dropSwitchEnd(rule: string): void
  dropHold(owner: string, slot: string): void
}
