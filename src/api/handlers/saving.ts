import type { z } from 'zod'
import type { Identity } from '../../auth/authenticator.ts'
import type { Author } from '../../home/model/house.ts'
import { type MemberClasses, type Problem, problemWith } from '../../home/rules/problems.ts'
import { isOfPeople } from '../../exposure/integration.ts'
import type { Refuse } from '../errors.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import { GROUP_WORDS } from '../../home/model/groups.ts'
import {
  type AutomationDraft,
  type DraftOf,
  parseRuleReference,
  type RuleKind,
  type ScheduleDraft,
  type Step,
  WEEKDAYS,
} from '../../home/model/rules.ts'
import { tells } from '../../home/model/tell.ts'
import {
  firstMissingCalendar,
  firstMissingMode,
  firstMissingPerson,
  firstUnmapped,
  mapReferences,
  type ReferenceMaps,
  type Referring,
} from '../../home/model/rule-parts.ts'
import {
  type QuotaExceeded,
  type RuleRepository,
  RULES_BYTES_MAX,
  RULES_BYTES_PER_INTEGRATION_MAX,
  RULES_PER_INTEGRATION_MAX,
} from '../../home/rules/rule-repository.ts'
import type { KnownDevice } from '../../home/rules/possible.ts'
import type { AutomationCreate, ScheduleCreate } from '../contract/rules.ts'
import { isRuleShown, type ShownRules } from '../exposed-causes.ts'
import type { Unlocking } from '../unlocking.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import type { RefusalDetails } from '../../wire/errors.ts'
import { fieldOf, pointerOfField } from '../../lib/checked.ts'

/** Author of a change through the API; null: an administrator, whose permission is never revoked. */
export function originOf({ integration, credential, person }: Identity): Author {
  if (person === undefined) return { integration: integration.id, link: credential.link }
  // A member's session ends sooner than what the member saves.
  return isOfPeople(integration) ? { integration: integration.id, link: integration.id } : null
}

export function refuseStale(current: number, refuse: Refuse<'revision_mismatch'>): never {
  return refuse('revision_mismatch', {
    message: `Somebody changed it meanwhile: its revision is now ${current}. Read it again and repeat the edit.`,
  })
}

export function refuseProblem(problem: Problem | null, refuse: Refuse): void {
  if (!problem) return
  refuse('validation', { message: `${problem.field}: ${problem.message}.`, at: pointerOfField(problem.field) })
}

/** Parts for saving a rule, besides the repositories. */
export interface Judging {
  readonly unlocking: Unlocking
  readonly live: Pick<LiveHome, 'readings'>
  readonly rules: ShownRules
}

/** Refusals of saving steps that need a permission. */
export type SavingRefusal = 'unlock_not_allowed' | 'tell_not_allowed'

/** True if a caller may save steps that send messages to people, or if they send none. */
export function mayTell(steps: readonly Step[], { integration }: Pick<Identity, 'integration'>): boolean {
  return integration.knobs.may_tell === 'on' || !tells(steps)
}

/** Refuses a valid new rule if its author may not do what it does, or if the home has no room for it. */
export function refuseNewRule<K extends RuleKind>(
  kind: K,
  repository: Pick<RuleRepository<K>, 'quotaExceededBy'>,
  draft: DraftOf[K],
  { unlocking }: Pick<Judging, 'unlocking'>,
  context: { readonly identity: Identity; readonly refuse: Refuse<SavingRefusal> },
): void {
  unlocking.save(draft.then, context)
  if (!mayTell(draft.then, context.identity)) context.refuse('tell_not_allowed')
  const noRoom = repository.quotaExceededBy(draft, originOf(context.identity))
  if (noRoom !== null) refuseNoRoom(kind, noRoom, context.refuse)
}

interface DraftContext {
  readonly view: ExposedHouse
  readonly refuse: Refuse<'not_found'>
}

/** Draft of a new automation from a request body, with local ids and defaults. */
export function automationDraft(
  body: z.output<typeof AutomationCreate>,
  sight: Pick<Judging, 'live' | 'rules'>,
  context: DraftContext,
): AutomationDraft {
  const { ifRevision: _, ...fields } = body
  const own = withKeys(fields as Partial<AutomationDraft>, sight, context)
  return checkedDraft({ enabled: true, if: [], mode: 'single', ...own } as AutomationDraft, sight, context)
}

/** Draft of a new schedule from a request body. */
export function scheduleDraft(
  body: z.output<typeof ScheduleCreate>,
  sight: Pick<Judging, 'live' | 'rules'>,
  context: DraftContext,
): ScheduleDraft {
  const { ifRevision: _, ...fields } = body
  const own = withKeys(fields as Partial<ScheduleDraft>, sight, context)
  return checkedDraft({ enabled: true, days: [...WEEKDAYS], if: [], ...own } as ScheduleDraft, sight, context)
}

function checkedDraft<D extends Referring>(
  draft: D,
  sight: Pick<Judging, 'live' | 'rules'>,
  { view, refuse }: DraftContext,
): D {
  refuseProblem(problemWith(draft, knownTo(view, sight), undefined, memberClassesIn(view)), refuse)
  return draft
}

/** Exposed facts about a device that a rule names. */
export function knownTo(
  view: ExposedHouse,
  { live }: Pick<Judging, 'live'>,
): (key: DeviceKey) => KnownDevice | undefined {
  return (key) => {
    const device = view.byKey(key)
    return device && { class: device.class, name: device.name, readings: live.readings(key)?.readings }
  }
}

/** Classes of the visible members of a named group, by its local id. */
export function memberClassesIn(view: ExposedHouse): MemberClasses {
  return (local) => view.group(view.ids.of('group', local))?.members.map((device) => device.class) ?? []
}

const KIB = 1024

/** Refuses a rule beyond a limit. The message names the limit and the remedy; waiting does not help. */
export function refuseNoRoom(kind: RuleKind, { of, by }: QuotaExceeded, refuse: Refuse): never {
  const whose = of === 'home' ? `The ${kind}s of the home` : `The ${kind}s that this integration saved`
  if (by === 'bytes') {
    const most = (of === 'home' ? RULES_BYTES_MAX : RULES_BYTES_PER_INTEGRATION_MAX) / KIB
    return refuse('validation', {
      message: `${whose} have reached their limit of ${most} KiB: shorten some, or ask an administrator to delete one.`,
    })
  }
  return refuse('validation', {
    message:
      of === 'home'
        ? `The home has reached its limit of ${kind}s: ask an administrator to delete one.`
        : `${whose} have reached the limit of ${RULES_PER_INTEGRATION_MAX}: ask an administrator to delete one.`,
  })
}

/** Replaces device keys and local ids in a rule, or a part of it, with the integration's own ids. */
export function withIds<T extends Referring>(rule: T, { ids }: Pick<ExposedHouse, 'ids'>): T {
  const mapped = mapReferences(rule, {
    device: (key) => ids.device(key),
    scene: (scene) => ids.of('scene', scene),
    rule: (reference) => {
      const { kind, id } = parseRuleReference(reference)
      return ids.of(kind, id)
    },
    group: (group) => ids.of('group', group),
    room: (room) => ids.of('room', room),
    floor: (floor) => ids.of('floor', floor),
  })
  return mapped ?? rule
}

/**
 * Replaces the integration's ids in a body with device keys and local ids. Unexposed ids are not found; the refusal
 * names their field.
 */
export function withKeys<T extends Referring>(
  body: T,
  { rules }: Pick<Judging, 'rules'>,
  { view, refuse }: DraftContext,
): T {
  const maps: ReferenceMaps = {
    device: (id) => wholeKey(id, view),
    scene: (id) => view.scene(id)?.local ?? null,
    rule: (id) => ruleReference(id, view, rules),
    group: (id) => view.group(id)?.local ?? null,
    room: (id) => view.room(id)?.local ?? null,
    floor: (id) => view.floor(id)?.local ?? null,
  }
  const hidden =
    firstMissingMode(body, (mode) => view.showsMode(mode)) ??
    firstMissingCalendar(body, (calendar) => view.showsCalendar(calendar)) ??
    firstMissingPerson(body, (person) => view.showsPerson(person))
  if (hidden !== null) return refuse('not_found', { field: fieldOf(hidden) })
  return mapReferences(body, maps) ?? refuse('not_found', missingIn(body, maps))
}

const GROUPS = `${GROUP_WORDS.join(', ')}, or an id from`
/** Message of a refusal of an unknown group. It leaves out `any`, which no step takes. */
export const NO_GROUP = {
  http: `There is no such group: send ${GROUPS} GET /v1/house.`,
  tool: `There is no such group: send ${GROUPS} the tool house.`,
}

/** Details of the refusal of a body that names an unknown thing. */
export function missingIn(body: Referring, maps: ReferenceMaps): RefusalDetails {
  const path = firstUnmapped(body, maps)
  if (path === null) return {}
  return { field: fieldOf(path), ...(path.at(-1) === 'group' && { message: NO_GROUP }) }
}

/** The reference of a rule that the integration sees, by the integration's id; null for any other. */
function ruleReference(id: string, view: ExposedHouse, rules: ShownRules): string | null {
  for (const kind of ['automation', 'schedule'] as const) {
    const local = view.ids.local(kind, id)
    if (local !== null) return isRuleShown(kind, local, view, rules) ? `${kind}:${local}` : null
  }
  return null
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}
