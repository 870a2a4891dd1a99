import { type NamedRule, wholeReferenceLists } from '../../model/rule-parts.ts'
import type { Author } from '../../model/house.ts'
import type { AutomationDraft, ScheduleDraft, Trigger } from '../../model/rules.ts'
import { tells } from '../../model/tell.ts'
import type { RunTrigger } from '../../ports/rule-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { triggerValueWords } from '../../words/messages.ts'
import { testedValue } from './conditions.ts'

/** Facts about the trigger of a run for its messages; null if the rule sends none. `trigger` is null for a schedule. */
export function runTrigger(
  rule: (AutomationDraft | ScheduleDraft) & { readonly author: Author },
  trigger: Trigger | null,
  { states, named }: { readonly states: StateReader; readonly named: NamedRule },
): RunTrigger | null {
  if (!tells(rule.then)) return null
  const subjects = wholeReferenceLists(rule, named)
  if (trigger === null || !('device' in trigger)) return { device: null, value: null, subjects }
  const { device } = trigger
  const value = 'touch' in trigger ? null : testedValue(trigger, states)
  // A device of a group may leave it later.
  const devices = [...new Set([...(subjects.devices ?? []), device])]
  return { device, value: triggerValueWords(trigger, value), subjects: { ...subjects, devices } }
}
