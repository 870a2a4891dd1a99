import type { z } from 'zod'
import type { Identity } from '../../auth/authenticator.ts'
import type { Author } from '../../home/model/house.ts'
import { type Problem, problemWith } from '../../home/rules/problems.ts'
import type { Refuse } from '../errors.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import {
  type AutomationDraft,
  type DraftOf,
  firstUnmapped,
  type MapReference,
  mapReferences,
  type Referring,
  type RuleKind,
  type ScheduleDraft,
  WEEKDAYS,
} from '../../home/model/rules.ts'
import {
  type NoRoom,
  type RuleRepository,
  RULES_BYTES_MAX,
  RULES_BYTES_OF_ONE_MAX,
  RULES_OF_ONE_MAX,
} from '../../home/rules/rule-repository.ts'
import type { KnownDevice } from '../../home/rules/possible.ts'
import type { AutomationCreate, ScheduleCreate } from '../contract/rules.ts'
import type { Unlocking } from '../unlocking.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import type { RefusalDetails } from '../../wire/errors.ts'

/** Who saves something through the API; null: a person, whose leave nothing takes back. */
export function originOf({ integration, credential, person }: Identity): Author {
  return person === undefined ? { integration: integration.id, link: credential.link } : null
}

export function refuseStale(current: number, refuse: Refuse<'revision_mismatch'>): never {
  return refuse('revision_mismatch', {
    message: `It was changed meanwhile: its revision is now ${current}. Read it again and redo the edit.`,
  })
}

export function refuseProblem(problem: Problem | null, refuse: Refuse): void {
  if (problem) refuse('validation', { message: `${problem.field}: ${problem.message}.` })
}

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

const KIB = 1024

/** Says which bound is reached, and what helps: to wait does not. */
export function refuseNoRoom(kind: RuleKind, { of, by }: NoRoom, refuse: Refuse): never {
  const whose = of === 'home' ? `The ${kind}s of the home` : `The ${kind}s that this integration saved`
  if (by === 'bytes') {
    const most = (of === 'home' ? RULES_BYTES_MAX : RULES_BYTES_OF_ONE_MAX) / KIB
    return refuse('validation', {
      message: `${whose} take as much room as they may (${most} KiB): make some shorter, or an administrator has to delete one first.`,
    })
  }
  return refuse('validation', {
    message:
      of === 'home'
        ? `The home has as many ${kind}s as it can hold: an administrator has to delete one first.`
        : `${whose} are ${RULES_OF_ONE_MAX}, as many as one may have: an administrator has to delete one first.`,
  })
}

/** A rule, or a part of one, with the integration's own ids of the devices and scenes that it names. */
export function withIds<T extends Referring>(rule: T, { ids }: Pick<ExposedHouse, 'ids'>): T {
  const mapped = mapReferences(
    rule,
    (key) => ids.device(key),
    (scene) => ids.of('scene', scene),
  )
  return mapped ?? rule
}

/** A body with device keys and local ids instead; what is not exposed is not found, and named by its place. */
export function withKeys<T extends Referring>(body: T, view: ExposedHouse, refuse: Refuse<'not_found'>): T {
  const mappings = [(id: string) => wholeKey(id, view), (id: string) => view.scene(id)?.local ?? null] as const
  return mapReferences(body, ...mappings) ?? refuse('not_found', missingIn(body, ...mappings))
}

/** How a body is refused that names something which is not there. */
export function missingIn(body: Referring, ...mappings: readonly [MapReference, MapReference]): RefusalDetails {
  const field = firstUnmapped(body, ...mappings)
  return field === null ? {} : { field }
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}
