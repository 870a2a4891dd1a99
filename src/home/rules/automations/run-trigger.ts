import { type NamedRule, wholeReferenceLists } from '../../model/rule-parts.ts'
import type { Author } from '../../model/house.ts'
import type { AutomationDraft, ScheduleDraft, Trigger } from '../../model/rules.ts'
import { tells } from '../../model/tell.ts'
import type { RunTrigger } from '../../ports/rule-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { triggerValueWords } from '../../words/messages.ts'
import type { Clock } from '../../../lib/clock.ts'
import { eventTitle } from '../time/calendar-dates.ts'
import type { Where } from '../time/local-time.ts'
import { testedValue } from './conditions.ts'

export interface TriggerParts {
  readonly states: StateReader
  readonly named: NamedRule
  readonly modeName: (mode: string) => string | null
  readonly clock: Pick<Clock, 'now'>
  readonly where: () => Where
}

/** Facts about the trigger of a run for its messages; null if the rule sends none. `trigger` is null for a schedule. */
export function runTrigger(
  rule: (AutomationDraft | ScheduleDraft) & { readonly author: Author },
  trigger: Trigger | null,
  parts: TriggerParts,
): RunTrigger | null {
  if (!tells(rule.then)) return null
  const subjects = wholeReferenceLists(rule, parts.named)
  if (trigger === null || !('device' in trigger)) return { device: null, value: factOf(trigger, parts), subjects }
  const { device } = trigger
  const value = 'touch' in trigger ? null : testedValue(trigger, parts.states)
  // A device of a group may leave it later.
  const devices = [...new Set([...(subjects.devices ?? []), device])]
  return { device, value: triggerValueWords(trigger, value), subjects: { ...subjects, devices } }
}

/** The mode, presence or event that set off a trigger, in words; null for other triggers. */
function factOf(trigger: Trigger | null, { modeName, clock, where }: TriggerParts): string | null {
  if (trigger === null) return null
  if ('mode' in trigger) return modeName(trigger.mode)
  if ('person' in trigger) return trigger.is
  return 'calendar' in trigger ? eventTitle(trigger, clock.now(), where()) : null
}
