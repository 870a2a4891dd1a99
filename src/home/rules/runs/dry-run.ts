import type { Random } from '../../../lib/random.ts'
import type { Command, DeviceState } from '../../model/device.ts'
import { GATEWAY_CAUSE, type HeldMode } from '../../model/events.ts'
import type { Author, Scene } from '../../model/house.ts'
import { commandOf } from '../../model/rule-parts.ts'
import type {
  Automation,
  BranchStep,
  Condition,
  GroupStep,
  ModeStep,
  RepeatStep,
  RestoreStep,
  RuleStep,
  Schedule,
  Step,
  TellStep,
  WaitStep,
} from '../../model/rules.ts'
import { commandNow, commandsBack, type DelayStep, type DeviceStep, isRelative, stateAfter } from '../../model/steps.ts'
import type { GroupReader } from '../../ports/group-reader.ts'
import type { RunOf, TellFailure, Teller } from '../../ports/rule-store.ts'
import type { Control, ControlFailure, Principal, StateReader } from '../../ports/unit-bus.ts'
import { causesRead, credentialsBehind } from './cause-chain.ts'
import { scenePrincipals, type OpeningCheck, type RefusedOpening } from './opening-check.ts'
import { batchAt, secondsOf, type SingleStep } from './step-batch.ts'
import { stepsOfGroup } from './step-performer.ts'

/** Number of steps after which a dry run foresees no further ones inside others. */
export const FORESEEN_MAX = 1_000

/** Predictable reason why a step would fail. */
export type StepObstacle =
  | ControlFailure
  | { readonly kind: 'no_scene' | 'no_group' | 'no_mode' | 'no_rule' | 'unknown_state' | 'unmet' | TellFailure }
  | ({ readonly kind: 'not_allowed' } & RefusedOpening)

/** The choices of a run at a step, as far as the present states tell. */
export interface Foresight {
  /** Command of a change from the confirmed state. */
  readonly command?: Command
  /** Seconds that it pauses: chosen by chance, or until the timeout. */
  readonly waits?: number
  /** Branch that it takes. */
  readonly branch?: 'then' | 'else'
  /** False if a wait would end without its conditions. */
  readonly met?: boolean
  /** Message with its text filled. */
  readonly tells?: string
  /** Number of rounds. */
  readonly rounds?: number
  /** False for a step that the run would not come to. */
  readonly reached?: false
}

/** One step as a run that starts now would perform it. */
export interface ForeseenStep {
  readonly step: Step
  /** True if the step itself opens a lock or gate. */
  readonly opens: boolean
  /** Total seconds of the pauses before it. */
  readonly after: number
  readonly obstacle: StepObstacle | null
  readonly foresight: Foresight
  /**
   * Steps inside it: of the scene that it runs, for the first such step and up to a bound, of the branch that it takes,
   * of its first round, or one for each device of its group. Else empty.
   */
  readonly inner: readonly ForeseenStep[]
}

/** The rule in a dry run (null: unsaved), and the text of its messages. */
export interface ForeseenTelling {
  readonly of: RunOf | null
  readonly text: (step: TellStep) => string
  /** Its author, who has to be allowed to send messages. */
  readonly principals: readonly Principal[]
}

export interface DryRunSources {
  readonly teller: Pick<Teller, 'obstacle'>
  readonly switches: {
    opens(rule: Pick<Automation, 'then'>): boolean
    obstacle(step: RuleStep, principals: readonly Principal[]): StepObstacle | null
  }
  readonly named: (reference: string) => Automation | Schedule | undefined
  /** Missing for a scene, which sends no messages. */
  readonly telling?: ForeseenTelling
  readonly check: Pick<OpeningCheck, 'opens' | 'refusalOf'>
  readonly control: Pick<Control, 'obstacle'>
  readonly scenes: (id: string) => Pick<Scene, 'steps' | 'author'> | undefined
  readonly hasMode: (mode: string) => boolean
  readonly groups: GroupReader
  /** Author of the rule, who decides the devices of its groups. */
  readonly author: Author
  readonly states: StateReader
  readonly random: Random
  /** True if all conditions hold with these states, `afterMs` from now. */
  readonly holds: (conditions: readonly Condition[], states: StateReader, afterMs: number) => boolean
}

/**
 * Predicts a run that would start now. It splits and checks the steps as a run does, and takes the states that its
 * commands would leave; nothing is sent, stored or recorded. Each response needs a new one, because it expands each
 * scene once.
 */
export class DryRun {
  readonly #parts: DryRunSources
  readonly #expandedScenes = new Set<string>()
  readonly #states = new Map<string, DeviceState>()
  /** States of the devices before the first change since the last restore; null: unknown. */
  readonly #before = new Map<string, DeviceState | null>()
  /** The mode of the home after a step that sets it. */
  #mode: HeldMode | null = null
  /** Credentials behind home facts that its conditions read. */
  #answerable: readonly Principal[] = []
  #foreseen = 0
  #waitedMs = 0
  #isOver = false

  constructor(parts: DryRunSources) {
    this.#parts = parts
  }

  /** The steps in order, run with the permissions of `principals`. */
  of(steps: readonly Step[], principals: readonly Principal[]): readonly ForeseenStep[] {
    const foreseen: ForeseenStep[] = []
    this.#foreseen += steps.length
    for (let batch = batchAt(steps, 0); batch !== null; batch = batchAt(steps, batch.next)) {
      const reached = steps.slice(batch.step, batch.next)
      if (this.#isOver) foreseen.push(...reached.map((step) => this.#outcome(step, { foresight: { reached: false } })))
      else if (batch.kind === 'group') foreseen.push(...batch.items.map((step) => this.#command(step, principals)))
      else foreseen.push(this.#single(batch.one, principals))
    }
    return foreseen
  }

  #outcome(step: Step, outcome: Partial<ForeseenStep>, afterMs = this.#waitedMs): ForeseenStep {
    return { step, opens: false, after: afterMs / 1_000, obstacle: null, foresight: {}, inner: [], ...outcome }
  }

  #single(step: SingleStep, principals: readonly Principal[]): ForeseenStep {
    if ('delay' in step) return this.#delay(step)
    if ('if' in step) return this.#branch(step, principals)
    if ('wait' in step) return this.#wait(step)
    if ('repeat' in step) return this.#repeat(step, principals)
    if ('mode' in step) return this.#setMode(step)
    if ('tell' in step) return this.#tell(step, principals)
    if ('rule' in step) return this.#switch(step, principals)
    if ('group' in step) return this.#group(step, principals)
    return 'restore' in step ? this.#restore(step, principals) : this.#scene(step, principals)
  }

  #command(step: DeviceStep, principals: readonly Principal[]): ForeseenStep {
    const { check, control } = this.#parts
    const before = this.#stateOf(step.device)
    const command = commandNow(commandOf(step), before)
    if (command === null) return this.#outcome(step, { obstacle: { kind: 'unknown_state' } })
    const item = { device: step.device, command }
    const refused = check.refusalOf(item, [...principals, ...this.#answerable])
    const obstacle = refused ? { kind: 'not_allowed' as const, ...refused } : control.obstacle(item)
    if (obstacle === null) this.#changed(step.device, before, command)
    return this.#outcome(step, {
      opens: check.opens(item),
      obstacle,
      foresight: isRelative(commandOf(step)) ? { command } : {},
    })
  }

  #tell(step: TellStep, principals: readonly Principal[]): ForeseenStep {
    const { teller, telling } = this.#parts
    const failure = teller.obstacle(step, { of: telling?.of ?? null, principals: telling?.principals ?? principals })
    const obstacle = failure === null ? null : { kind: failure }
    return this.#outcome(step, { obstacle, foresight: { tells: telling?.text(step) ?? step.tell } })
  }

  #switch(step: RuleStep, principals: readonly Principal[]): ForeseenStep {
    const { switches, named } = this.#parts
    const rule = step.enabled ? named(step.rule) : undefined
    return this.#outcome(step, {
      opens: rule !== undefined && switches.opens(rule),
      obstacle: switches.obstacle(step, principals),
    })
  }

  /** Of an unknown state, only the changed part is known afterwards. */
  #changed(device: string, before: DeviceState | null, command: Command): void {
    const after = stateAfter(before ?? {}, command)
    if (Object.keys(after).length === 0) return
    this.#states.set(device, after)
    if (!this.#before.has(device)) this.#before.set(device, before)
  }

  /** The command of each device as a step inside it. */
  #group(step: GroupStep, principals: readonly Principal[]): ForeseenStep {
    const states = { state: (key: string) => this.#stateOf(key) }
    const items = stepsOfGroup(step, this.#parts.author, { ...this.#parts, states })
    if (items === null) return this.#outcome(step, { obstacle: { kind: 'no_group' } })
    this.#foreseen += items.length
    return this.#outcome(step, { inner: items.map((one) => this.#command(one, principals)) })
  }

  #delay(step: DelayStep): ForeseenStep {
    const waits = secondsOf(step, this.#parts.random)
    const foreseen = this.#outcome(step, step.random === undefined ? {} : { foresight: { waits } })
    this.#waitedMs += waits * 1_000
    return foreseen
  }

  #branch(step: BranchStep, principals: readonly Principal[]): ForeseenStep {
    const afterMs = this.#waitedMs
    const branch = this.#holds(step.if) ? 'then' : 'else'
    const inner = this.of(step[branch] ?? [], principals)
    return this.#outcome(step, { foresight: { branch }, inner }, afterMs)
  }

  /** Only time changes the outcome of its conditions here. */
  #wait(step: WaitStep): ForeseenStep {
    const afterMs = this.#waitedMs
    const isMet = this.#holds(step.wait)
    const waits = isMet ? 0 : step.timeout
    this.#waitedMs += waits * 1_000
    const met = isMet || this.#holds(step.wait)
    if (!met && step.else === 'stop') this.#isOver = true
    return this.#outcome(step, { foresight: { met, waits } }, afterMs)
  }

  /** Foresees all rounds, up to the bound, and shows the first. */
  #repeat(step: RepeatStep, principals: readonly Principal[]): ForeseenStep {
    const afterMs = this.#waitedMs
    const { until, every, times } = step
    let firstRound: readonly ForeseenStep[] | null = null
    let rounds = 0
    const isMet = (): boolean => until !== undefined && this.#holds(until)
    while (!isMet() && rounds < times && !this.#isOver && this.#foreseen < FORESEEN_MAX) {
      const inner = this.of(step.repeat, principals)
      firstRound ??= inner
      rounds += 1
      if (!this.#isOver && (until !== undefined || rounds < times)) this.#waitedMs += every * 1_000
    }
    const isUnmet = until !== undefined && !this.#isOver && rounds === times && !isMet()
    const obstacle = isUnmet ? { kind: 'unmet' as const } : null
    return this.#outcome(step, { obstacle, foresight: { rounds }, inner: firstRound ?? [] }, afterMs)
  }

  #setMode(step: ModeStep): ForeseenStep {
    const { hasMode, states } = this.#parts
    if (!hasMode(step.mode)) return this.#outcome(step, { obstacle: { kind: 'no_mode' } })
    // The run answers for this mode, and its own principals are checked anyway.
    this.#mode = { ...states.mode(), mode: step.mode, cause: GATEWAY_CAUSE }
    return this.#outcome(step, {})
  }

  /** The commands that would return the devices, as steps inside it. */
  #restore(step: RestoreStep, principals: readonly Principal[]): ForeseenStep {
    const back = [...this.#before].flatMap(([device, before]) => {
      const state = this.#stateOf(device)
      return before === null || state === null
        ? []
        : commandsBack(before, state).map((command) => ({ device, ...command }))
    })
    const inner = back.map((one) => this.#command(one, principals))
    // As in a run, a device whose earlier state was unknown has one from here on.
    this.#before.clear()
    return this.#outcome(step, { inner })
  }

  #scene(step: Extract<Step, { scene: string }>, principals: readonly Principal[]): ForeseenStep {
    const scene = this.#parts.scenes(step.scene)
    if (!scene) return this.#outcome(step, { obstacle: { kind: 'no_scene' } })
    if (this.#expandedScenes.has(step.scene) || this.#foreseen >= FORESEEN_MAX) return this.#outcome(step, {})
    this.#expandedScenes.add(step.scene)
    const afterMs = this.#waitedMs
    const inner = this.of(scene.steps, scenePrincipals(scene, principals))
    // A rule goes on while its scene waits.
    this.#waitedMs = afterMs
    return this.#outcome(step, { inner }, afterMs)
  }

  #stateOf(device: string): DeviceState | null {
    return this.#states.get(device) ?? this.#parts.states.state(device)
  }

  #holds(conditions: readonly Condition[]): boolean {
    const { states, groups, holds } = this.#parts
    const foreseen: StateReader = {
      reachable: (unit) => states.reachable(unit),
      readings: (unit) => states.readings(unit),
      state: (device) => this.#stateOf(device),
      mode: () => this.#mode ?? states.mode(),
      presence: (person) => states.presence(person),
    }
    this.#answerable = [...this.#answerable, ...credentialsBehind(causesRead(conditions, { states: foreseen, groups }))]
    return holds(conditions, foreseen, this.#waitedMs)
  }
}
