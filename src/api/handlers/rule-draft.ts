import type { z } from 'zod'
import type { Identity } from '../../auth/authenticator.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import {
  type AutomationDraft,
  type DraftOf,
  type RuleKind,
  type ScheduleDraft,
  WEEKDAYS,
  type Referring,
} from '../../home/model/rules.ts'
import { problemWith } from '../../home/rules/problems.ts'
import type { RuleRepository } from '../../home/rules/rule-repository.ts'
import type { KnownDevice } from '../../home/rules/possible.ts'
import type { AutomationCreate, ScheduleCreate } from '../contract/rules.ts'
import type { Refuse } from '../errors.ts'
import type { Unlocking } from '../unlocking.ts'
import { withKeys } from './rule-ids.ts'
import { refuseNoRoom } from './rule-room.ts'
import { originOf, refuseProblem } from './saving.ts'

/** What saving a rule takes besides the rules. */
export interface Judging {
  readonly unlocking: Unlocking
  readonly live: Pick<LiveHome, 'readings'>
}

/** Refuses to save a new rule that is right in itself: what opens an entrance needs leave, and a home holds so many. */
export function refuseNewRule<K extends RuleKind>(
  kind: K,
  repository: Pick<RuleRepository<K>, 'noRoomFor'>,
  draft: DraftOf[K],
  { unlocking }: Pick<Judging, 'unlocking'>,
  asking: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
): void {
  unlocking.save(draft.then, asking)
  const noRoom = repository.noRoomFor(draft, originOf(asking.identity))
  if (noRoom !== null) refuseNoRoom(kind, noRoom, asking.refuse)
}

interface Drafting {
  readonly view: ExposedHouse
  readonly refuse: Refuse<'not_found'>
}

/** A new automation as a body wants it, in the home's own terms, with what it is unless told. */
export function automationDraft(
  body: z.output<typeof AutomationCreate>,
  sight: Pick<Judging, 'live'>,
  asking: Drafting,
): AutomationDraft {
  const { ifRevision: _, ...said } = body
  const own = withKeys(said as Partial<AutomationDraft>, asking.view, asking.refuse)
  return sound({ enabled: true, if: [], mode: 'single', ...own } as AutomationDraft, sight, asking)
}

/** The same of a schedule. */
export function scheduleDraft(
  body: z.output<typeof ScheduleCreate>,
  sight: Pick<Judging, 'live'>,
  asking: Drafting,
): ScheduleDraft {
  const { ifRevision: _, ...said } = body
  const own = withKeys(said as Partial<ScheduleDraft>, asking.view, asking.refuse)
  return sound({ enabled: true, days: [...WEEKDAYS], ...own } as ScheduleDraft, sight, asking)
}

function sound<D extends Referring>(draft: D, sight: Pick<Judging, 'live'>, { view, refuse }: Drafting): D {
  refuseProblem(problemWith(draft, knownTo(view, sight)), refuse)
  return draft
}

/** What the integration is shown of a device that a rule names. */
export function knownTo(
  view: ExposedHouse,
  { live }: Pick<Judging, 'live'>,
): (key: DeviceKey) => KnownDevice | undefined {
  return (key) => {
    const device = view.byKey(key)
    return device && { class: device.class, name: device.name, heard: live.readings(key)?.readings }
  }
}
