import type { ThingKind } from '../../exposure/device-id.ts'
import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { type Subject, subjectKey } from '../../home/model/events.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { ActivityStore, SubjectFilter } from '../../home/ports/history-store.ts'
import type { RemovedDevices } from '../../home/record/removed-devices.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { isRuleShown } from '../exposed-causes.ts'
import { removedById } from '../removed.ts'

export interface SubjectParts {
  readonly activity: Pick<ActivityStore, 'page'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly removed: Pick<RemovedDevices, 'list' | 'get'>
  readonly clock: Clock
}

const RULE_KINDS = ['automation', 'schedule'] as const
const THING_KINDS = ['scene', 'room', 'floor', ...RULE_KINDS] as const satisfies readonly ThingKind[]

/** Entries about everything that an integration is shown. Access changes are the administrators' business. */
export function shownSubjects(view: ExposedHouse, { rules }: Pick<SubjectParts, 'rules'>): SubjectFilter {
  const { knobs, exposure } = view.integration
  const hiddenKinds: Subject['kind'][] = ['integration', ...RULE_KINDS.filter((kind) => knobs[`${kind}s`] === 'off')]
  if (exposure.expose === 'All') return { all: true, except: hiddenKinds }
  const visible = (kind: (typeof RULE_KINDS)[number]): Subject[] => {
    if (knobs[`${kind}s`] === 'off') return []
    return [...view.rules.of(rules[`${kind}s`])].map((id) => ({ kind, id }))
  }
  return only(view, [
    ...wholeDevices([...view.devices()]),
    ...view.scenes.map((scene): Subject => ({ kind: 'scene', id: scene.local })),
    ...view.floors.flatMap((floor): Subject[] => [
      { kind: 'floor', id: floor.local },
      ...floor.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ]),
    ...view.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ...visible('automation'),
    ...visible('schedule'),
  ])
}

/** Entries about one thing, by any id that an entry may carry; null where the integration sees no such thing. */
export function subjectsById(id: string, view: ExposedHouse, parts: SubjectParts): SubjectFilter | null {
  const gone = removedById(id, view, parts.removed)
  if (gone !== null)
    return only(
      view,
      gone.map((key): Subject => ({ kind: 'device', id: key })),
    )
  const device = view.device(id)
  if (device !== undefined) return only(view, wholeDevices([device, ...device.gangs]))
  const kind = THING_KINDS.find((each) => isSeen(each, id, view, parts))
  return kind === undefined ? null : only(view, [{ kind, id: view.ids.local(kind, id) ?? '' }])
}

/** Whether an id is that of an automation or schedule whose entries the integration sees. */
export function seesRule(id: string, view: ExposedHouse, parts: SubjectParts): boolean {
  return RULE_KINDS.some((kind) => isSeen(kind, id, view, parts))
}

function isSeen(kind: (typeof THING_KINDS)[number], id: string, view: ExposedHouse, parts: SubjectParts): boolean {
  const local = view.ids.local(kind, id)
  if (local === null) return false
  if (kind !== 'automation' && kind !== 'schedule')
    return view[kind](id) !== undefined || isRemembered({ kind, id: local }, view, parts)
  if (view.integration.knobs[`${kind}s`] === 'off') return false
  return isRuleShown(kind, local, view, parts.rules) || isRemembered({ kind, id: local }, view, parts)
}

/** Where everything is shown, entries about what is gone keep its id. */
function isRemembered(subject: Subject, view: ExposedHouse, { activity, clock }: SubjectParts): boolean {
  if (view.integration.exposure.expose !== 'All') return false
  return activity.page({ subjects: only(view, [subject]), from: 0, to: clock.now() + 1, limit: 1 }).entries.length > 0
}

function wholeDevices(devices: readonly ExposedDevice[]): readonly Subject[] {
  return devices.filter(({ onlyGangs }) => !onlyGangs).map(({ key }) => ({ kind: 'device', id: key }))
}

function only(view: ExposedHouse, subjects: readonly Subject[]): SubjectFilter {
  const moves = (device: DeviceKey): boolean => view.byKey(device) !== undefined
  return { only: subjects.map(subjectKey), moves }
}
