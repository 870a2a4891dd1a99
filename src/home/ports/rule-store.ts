import { HOUR_MS } from '../../lib/durations.ts'
import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/events.ts'
import type { Step, GivenRevisions } from '../model/house.ts'
import type { RuleKind, RuleOf } from '../model/rules.ts'
import type { Principal, ControlFailure, Priority } from './unit-bus.ts'

export type RunKind = RuleKind | 'scene'

/** What runs: an automation, a schedule or a scene, by its id. */
export interface RunOf {
  readonly kind: RunKind
  readonly id: string
}

/** A key for what runs; for a rule also the owner of its claims and holds. */
export function runKey({ kind, id }: RunOf): string {
  return `${kind}:${id}`
}

/**
 * A step that did not succeed; `no_scene`: the scene is gone; `not_allowed`: it opens, and may not; `error`: a defect
 * of the gateway, which its log explains.
 */
export interface StepFailure {
  readonly step: number
  readonly device?: string
  readonly scene?: string
  readonly reason: ControlFailure['kind'] | 'no_scene' | 'not_allowed' | 'error'
}

/**
 * A run as it must be known after a crash. The steps are those it began with: an edit does not change a run that is
 * under way.
 */
export interface RunRecord {
  readonly id: string
  readonly of: RunOf
  readonly steps: readonly Step[]
  readonly cause: Cause
  readonly priority: Priority
  /** All on whose authority it opens what it opens; nobody for what administrators set up. */
  readonly principals: readonly Principal[]
  /** Epoch ms. */
  readonly startedAt: number
  /** The step that is about to be made or is being made; -1 while the run waits for its turn. */
  readonly step: number
  /** While the run is inside a delay: its end in epoch ms. */
  readonly resumeAt: number | null
  readonly failures: readonly StepFailure[]
}

/**
 * One occurrence of a daily time, to be run once: `owner` is `automation:ID` or `schedule:ID`, `slot` the time, `date`
 * the local date.
 */
export interface Claim {
  readonly owner: string
  readonly slot: string
  readonly date: string
  /** Epoch ms. */
  readonly at: number
  /** Whether it came round too late to run, and that was told instead. */
  readonly missed: boolean
  /** When it came round, in ms of steady time, which no clock moves; null where it is not known. */
  readonly steadyAt: number | null
}

/** One that comes round now. `thereAt`: when it was really there, in ms of steady time, by the clock as it is now. */
export type NewClaim = Claim & { readonly thereAt: number }

/**
 * A date that comes round again after so long is the day itself, and what came round before was a wrong clock's;
 * sooner, it is one day that the clock tells twice (docs/automations.md#restarts-crashes-and-clocks).
 */
export const COMES_AGAIN_MS = 12 * HOUR_MS

/**
 * Whether a date that came round before counts anew. One that was only told as missed still runs when it comes; where
 * that was told before it was there, it may be missed too.
 */
export function comesAgain(
  before: Pick<Claim, 'missed' | 'steadyAt'>,
  now: Pick<NewClaim, 'missed' | 'thereAt'> & { readonly steadyAt: number },
): boolean {
  if (before.missed && !now.missed) return true
  if (before.steadyAt === null) return false
  return (before.missed && before.steadyAt < now.thereAt) || now.steadyAt - before.steadyAt >= COMES_AGAIN_MS
}

/** A trigger's `for` that is being waited out, or was: `since` in epoch ms. */
export interface Hold {
  readonly owner: string
  readonly slot: string
  readonly since: number
  readonly fired: boolean
}

/** Claims kept for each owner and slot: enough to recognise dates that a clock which jumps back brings again. */
export const CLAIMS_KEPT = 8
/** Claims kept for each owner in all: claims of times that it had before an edit are removed in the end. */
export const CLAIMS_KEPT_OF_OWNER = 200

/**
 * Automations and schedules, and what must be known about their running after a power cut. `insert`, `replace` and
 * `remove` run inside `UnitOfWork.change`; every other write is a transaction of its own that does not wait for the disk.
 */
export interface RuleStore {
  readonly revisions: GivenRevisions
  /** In the order in which they were made. */
  all<K extends RuleKind>(kind: K): readonly RuleOf[K][]
  insert<K extends RuleKind>(kind: K, rule: RuleOf[K]): void
  /**
   * Compare and set: stores the rule only while the stored one has `ifRevision`. Refuses with the current revision, or
   * null where there is no such rule.
   */
  replace<K extends RuleKind>(kind: K, rule: RuleOf[K], ifRevision: number): Result<null, number | null>
  /** Removes the rule with its runs, claims and holds. */
  remove(kind: RuleKind, id: string): void
  /** Pauses an automation; its revision stays. */
  pause(id: string): void

  runs(): readonly RunRecord[]
  begin(run: RunRecord): void
  /**
   * Claims an occurrence, and begins its run in the same transaction. False, and nothing stored, when it was claimed
   * before, unless it comes again (`comesAgain`).
   */
  claim(claim: NewClaim, run: RunRecord | null): boolean
  claims(): readonly Claim[]
  progress(run: string, at: Pick<RunRecord, 'step' | 'resumeAt' | 'failures'>): void
  end(run: string): void
  /**
   * Resolves when everything written so far would survive a power cut; awaited before what must not be done twice.
   * @throws StorageUnavailable
   */
  onDisk(): Promise<void>

  holds(): readonly Hold[]
  /** Makes the writes of `run` one transaction. */
  together(run: () => void): void
  saveHold(hold: Hold): void
  dropHold(owner: string, slot: string): void
}
