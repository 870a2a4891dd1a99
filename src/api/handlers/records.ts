import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { explain } from '../../home/explain/explain.ts'
import type { About, ExplainSources, ExplainView } from '../../home/explain/explanation.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { type ActivityEntry, type Subject, subjectKey } from '../../home/model/activity.ts'
import { type DeviceKey, parseDeviceKey } from '../../home/model/device.ts'
import type { HomeInfo } from '../../home/model/house.ts'
import type { ActivityStore, DetectionStore, SubjectFilter } from '../../home/ports/history-store.ts'
import type { Energy } from '../../home/record/energy.ts'
import { exposeEntry } from '../../home/record/expose-cause.ts'
import type { Referring } from '../../home/rules/references.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import type { records } from '../contract/records.ts'
import { Refusal } from '../errors.ts'
import { type CauseJson, causeJson, causeView, isRuleVisible, subjectId } from '../exposed-causes.ts'
import type { HandlersOf } from '../handler.ts'
import { energyScope } from './energy-scope.ts'

export interface RecordParts {
  readonly live: LiveHome
  readonly activity: Pick<ActivityStore, 'page'>
  readonly detections: Pick<DetectionStore, 'page'>
  readonly energy: Pick<Energy, 'answer'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly explainSources: ExplainSources
  readonly home: () => HomeInfo
  readonly clock: Clock
}

const DAY_MS = 24 * 60 * 60_000
/** Spec 8: default ranges. */
const ACTIVITY_RANGE_MS = 30 * DAY_MS
const EXPLAIN_RANGE_MS = DAY_MS
const PAGE_DEFAULT = 50

export function recordHandlers(parts: RecordParts): HandlersOf<typeof records> {
  const explained = (
    id: string,
    about: About,
    view: ExposedHouse,
    from: number | null | undefined,
    to: number | null | undefined,
  ) => {
    const until = to ?? parts.clock.now()
    const since = from ?? until - EXPLAIN_RANGE_MS
    refuseBackwards(since, until)
    const answer = explain(
      { about, from: since, to: until, now: parts.clock.now() },
      explainView(view, parts.rules),
      parts.explainSources,
    )
    const items = answer.items.map(({ about: subject, cause, ...item }) => ({
      ...item,
      cause: cause && causeJson(cause, view),
      device: subject.kind === 'device' ? view.ids.device(subject.id) : subjectId(subject, view),
    }))
    return { device: id, from: answer.from, to: answer.to, items, note: answer.note }
  }
  return {
    'sensors.list': ({ view }) => ({ sensors: sensorsOf(view, parts.live) }),

    'sensors.detections': ({ subject, query, view }) => {
      const unit = wholeUnit(subject, view)
      if (unit === null) return { device: subject.id, detections: [], nextCursor: null }
      const page = parts.detections.page(unit, query.cursor ?? null, query.limit ?? PAGE_DEFAULT)
      if (!page)
        throw new Refusal('validation', { message: 'cursor: is none that this gateway gave; begin without one.' })
      return { device: subject.id, detections: [...page.detections], nextCursor: page.nextCursor }
    },

    'energy.get': ({ query, view }) => {
      const { scope = 'house', period, from, to } = query
      if (period !== undefined && (from !== undefined || to !== undefined))
        throw new Refusal('validation', { message: 'period: say either a period, or from and to.' })
      if (from !== undefined && to !== undefined) refuseBackwards(from, to)
      const range =
        from === undefined && to === undefined
          ? { period: period ?? ('day' as const) }
          : rangeOf(from, to, parts.clock.now())
      const devices = energyScope(scope, view)
      const { series, ...answer } = parts.energy.answer({ devices, range, standing: scope === 'house' })
      return { scope, ...answer, currency: parts.home().currency, series: [...series] }
    },

    'activity.list': ({ query, view }) => {
      const now = parts.clock.now()
      const to = query.to ?? now + 1
      const from = query.from ?? to - ACTIVITY_RANGE_MS
      refuseBackwards(from, to)
      const page = parts.activity.page({
        subjects: subjectsOf(query.device, view, parts.rules),
        from,
        to,
        limit: query.limit ?? PAGE_DEFAULT,
      })
      const names = causeView(view, parts.rules)
      return { entries: page.entries.map((entry) => entryJson(entry, view, names)), nextTo: page.nextTo }
    },

    'explain.get': ({ subject, query, view }) => explained(subject.id, aboutOf(subject), view, query.from, query.to),
    'explain.post': ({ body, view }) => {
      const subject = view.device(body.device) ?? view.scene(body.device)
      if (!subject) throw new Refusal('not_found')
      return explained(subject.id, aboutOf(subject), view, body.from, body.to)
    },
  }
}

/**
 * The unit whose sensor a device has, or null where the integration sees only some gangs of a module: the sensor belongs to the whole.
 */
function wholeUnit(device: ExposedDevice, view: ExposedHouse): string | null {
  const { unit } = parseDeviceKey(device.key)
  const shown = view.byKey(unit)
  return shown && !shown.onlyGangs ? unit : null
}

function refuseBackwards(from: number, to: number): void {
  if (from > to) throw new Refusal('validation', { message: 'from: lies after to.' })
}

function rangeOf(from: number | undefined, to: number | undefined, now: number): { from: number; to: number } {
  const until = to ?? now
  const since = from ?? until - DAY_MS
  refuseBackwards(since, until)
  return { from: since, to: until }
}

function aboutOf(subject: { type: string; key?: string; local?: string }): About {
  return subject.type === 'scene'
    ? { kind: 'scene', id: subject.local ?? '' }
    : { kind: 'device', id: subject.key ?? '' }
}

/** Units that are sensors, or have told readings of theirs. */
function sensorsOf(view: ExposedHouse, live: LiveHome) {
  return [...view.devices()].flatMap((device) => {
    if (device.type !== 'unit' || device.onlyGangs) return []
    const known = live.readings(device.key)
    if (!known && device.class !== 'sensor' && device.class !== 'meter') return []
    return [
      {
        id: device.id,
        name: device.name,
        class: device.class,
        room: device.room,
        floor: device.floor,
        readings: known?.readings ?? {},
        asOf: known?.asOf ?? null,
      },
    ]
  })
}

/** Which entries exist for an integration: those about what it shows. Access changes are the administrators' business. */
function subjectsOf(deviceId: string | undefined, view: ExposedHouse, rules: RecordParts['rules']): SubjectFilter {
  const moves = (device: DeviceKey): boolean => view.byKey(device) !== undefined
  if (deviceId !== undefined) {
    const thing = view.device(deviceId) ?? view.scene(deviceId)
    if (!thing) throw new Refusal('not_found')
    if (thing.type === 'scene') return { only: [subjectKey({ kind: 'scene', id: thing.local })], moves }
    return {
      only: [thing, ...thing.gangs]
        .filter((device) => !device.onlyGangs)
        .map((device) => subjectKey({ kind: 'device', id: device.key })),
      moves,
    }
  }
  const { knobs, exposure } = view.integration
  const hiddenKinds: Subject['kind'][] = [
    'integration',
    ...(knobs.automations === 'on' ? [] : ['automation' as const]),
    ...(knobs.schedules === 'on' ? [] : ['schedule' as const]),
  ]
  if (exposure.expose === 'All') return { all: true, except: hiddenKinds }
  const visible = (kind: 'automation' | 'schedule', list: readonly (Referring & { id: string })[]): Subject[] => {
    if (knobs[`${kind}s`] === 'off') return []
    return list.filter((rule) => isRuleVisible(rule, view)).map(({ id }) => ({ kind, id }))
  }
  const subjects: Subject[] = [
    ...[...view.devices()]
      .filter((device) => !device.onlyGangs)
      .map((device: ExposedDevice): Subject => ({ kind: 'device', id: device.key })),
    ...view.scenes.map((scene): Subject => ({ kind: 'scene', id: scene.local })),
    ...view.floors.flatMap((floor): Subject[] => [
      { kind: 'floor', id: floor.local },
      ...floor.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ]),
    ...view.rooms.map((room): Subject => ({ kind: 'room', id: room.local })),
    ...visible('automation', rules.automations.list()),
    ...visible('schedule', rules.schedules.list()),
  ]
  return { only: subjects.map(subjectKey), moves }
}

function entryJson(
  entry: ActivityEntry,
  view: ExposedHouse,
  names: ReturnType<typeof causeView>,
): {
  id: string
  at: number
  device: string | null
  kind: ActivityEntry['kind']
  what: string
  cause: CauseJson
  subject: string
  data?: Readonly<Record<string, unknown>>
} {
  const { subject, cause, ...open } = exposeEntry(entry, names)
  return {
    ...open,
    device: subjectId(subject, view),
    subject: subject.kind === 'steps' ? 'scene' : subject.kind,
    cause: causeJson(cause, view),
  }
}

function explainView(view: ExposedHouse, rules: RecordParts['rules']): ExplainView {
  return {
    ...causeView(view, rules),
    showsUnitSchedules: view.integration.knobs.schedules === 'on',
    onlyGangs: (unit) => view.byKey(unit)?.onlyGangs === true,
    gangsOf: (key) => (view.byKey(key)?.gangs ?? []).map((gang) => gang.key),
    unitsAround: (key) => {
      const device = view.byKey(key)
      if (!device) return []
      const own = wholeUnit(device, view)
      const room = device.room === null ? undefined : view.room(device.room)
      const around = (room?.units ?? []).filter((unit) => !unit.onlyGangs).map((unit) => unit.key)
      return [...new Set([...(own === null ? [] : [own]), ...around])]
    },
  }
}
