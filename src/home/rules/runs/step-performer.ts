import type { Log } from '../../../lib/log.ts'
import type { Random } from '../../../lib/random.ts'
import type { DeviceKey } from '../../model/device.ts'
import type { Cause } from '../../model/events.ts'
import type { Author } from '../../model/house.ts'
import { commandOf, groupCommandOf } from '../../model/rule-parts.ts'
import type { Condition, GroupStep, RuleStep } from '../../model/rules.ts'
import { commandNow, type DeviceStep, type GroupMember, groupSteps } from '../../model/steps.ts'
import type { Control, ControlItem, Principal, Priority, StateReader } from '../../ports/unit-bus.ts'
import type { GroupReader } from '../../ports/group-reader.ts'
import type { RunRecord, StepFailure, SwitchFailure, Teller } from '../../ports/rule-store.ts'
import type { OpeningCheck } from './opening-check.ts'
import type { PauseParts } from './pause.ts'
import type { StoredRunParts } from './stored-run.ts'

export interface PerformerParts {
  readonly control: Control
  readonly states: Pick<StateReader, 'state'>
  readonly check: Pick<OpeningCheck, 'allows' | 'opens'>
  readonly groups: GroupReader
  readonly log: Log
}

/** Everything that a run needs. */
export interface StepRunParts extends StoredRunParts, Omit<PauseParts, 'holds'>, PerformerParts {
  readonly random: Random
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  /** True if all conditions of a run hold now. */
  readonly holds: (conditions: readonly Condition[], run: Pick<RunRecord, 'of' | 'principals'>) => boolean
  readonly teller: Pick<Teller, 'tell'>
  /** Switches a rule; null if it is then so. */
  switchRule(step: RuleStep, run: Pick<RunRecord, 'of' | 'cause' | 'principals'>): SwitchFailure | null
  /** Runs a scene as a step. Resolves when it has ended or waits in a delay; false if there is no such scene. */
  runScene(scene: string, cause: Cause, priority: Priority, principals: readonly Principal[]): Promise<boolean>
  /** Sets the mode of the home for good; the reason of a failure, or null. */
  setMode(mode: string, cause: Cause): 'no_mode' | 'error' | null
  /** The cause of a run after it has read the home facts that conditions name. */
  afterReading(conditions: readonly Condition[], cause: Cause): Cause
}

type MemberParts = Pick<PerformerParts, 'groups' | 'states'> & { readonly check: Pick<OpeningCheck, 'opens'> }

type Reason = StepFailure['reason']

/** The run on whose behalf steps are performed. */
type Performing = Pick<RunRecord, 'id' | 'of' | 'cause' | 'priority' | 'principals'>

/** Sends the commands of neighbouring steps together. Returns the reason of each failure; null for success. */
export async function performGroup(
  items: readonly DeviceStep[],
  run: Performing,
  parts: PerformerParts,
): Promise<readonly (Reason | null)[]> {
  const wanted = items.map((item) => itemNow(item, run, parts))
  const sent = wanted.filter((item) => typeof item === 'object')
  const answers = await send(sent, run, parts)
  return wanted.map((item) => (typeof item === 'string' ? item : (answers[sent.indexOf(item)] ?? null)))
}

/** Steps for the devices of a group, without locks and gates that they would open; null for a deleted group. */
export function stepsOfGroup(step: GroupStep, author: Author, parts: MemberParts): readonly DeviceStep[] | null {
  if (!parts.groups.exists(step)) return null
  return groupSteps(groupCommandOf(step), movable(parts.groups.members(step, author), step, parts))
}

/** Devices of the group of a step that the step may move, with what decides how; `devices` are in the group. */
export function movable(
  devices: readonly DeviceKey[],
  { op }: GroupStep,
  { groups, states, check }: MemberParts,
): readonly GroupMember[] {
  return devices
    .filter((device) => op !== 'open' || !check.opens({ device, command: { op } }))
    .map((device) => ({ device, operations: groups.operations(device), state: states.state(device) }))
}

/** The command that a step sends now, or the reason why it sends none. */
function itemNow(
  step: DeviceStep,
  { principals, cause }: { readonly principals: readonly Principal[]; readonly cause: Cause },
  { states, check }: PerformerParts,
): ControlItem | Reason {
  const command = commandNow(commandOf(step), states.state(step.device))
  if (command === null) return 'unknown_state'
  const item = { device: step.device, command }
  return check.allows(item, principals, cause) ? item : 'not_allowed'
}

async function send(
  items: readonly ControlItem[],
  { id, of, cause, priority }: Performing,
  { control, log }: PerformerParts,
): Promise<readonly (Reason | null)[]> {
  if (items.length === 0) return []
  try {
    const answers = await control.performMany(items, cause, priority)
    return items.map((_, index) => {
      const answer = answers[index]
      return answer?.ok === true ? null : (answer?.error.kind ?? 'error')
    })
  } catch (error) {
    log.error({ err: error, run: id, of }, 'A step failed unexpectedly. The run continues.')
    return items.map(() => 'error')
  }
}
