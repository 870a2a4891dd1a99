import type { Log } from '../../../lib/log.ts'
import type { Cause } from '../../model/events.ts'
import { commandOf } from '../../model/rule-parts.ts'
import { commandNow, type DeviceStep } from '../../model/steps.ts'
import type { Control, ControlItem, Principal, StateReader } from '../../ports/unit-bus.ts'
import type { RunRecord, StepFailure } from '../../ports/rule-store.ts'
import type { OpeningCheck } from './opening-check.ts'

export interface PerformerParts {
  readonly control: Control
  readonly states: Pick<StateReader, 'state'>
  readonly check: Pick<OpeningCheck, 'allows'>
  readonly log: Log
}

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
