import type { ExposedDevice, ExposedHouse, ExposedScene } from '../../exposure/exposed-house.ts'
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
import type { Refuse } from '../errors.ts'
import { type CauseJson, causeJson, causeView, isRuleVisible, subjectId } from '../exposed-causes.ts'
import type { HandlerCall, HandlersOf } from '../handler.ts'
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
  return {
    'sensors.list': ({ view }) => ({ sensors: sensorsOf(view, parts.live) }),

    'sensors.detections': ({ subject, query, view, refuse }) => {
      const unit = wholeUnit(subject, view)
      if (unit === null) return { device: subject.id, detections: [], nextCursor: null }
      const page =
        parts.detections.page(unit, query.cursor ?? null, query.limit ?? PAGE_DEFAULT) ??
        refuse('validation', { message: 'cursor: is none that this gateway gave; begin without one.' })
      return { device: subject.id, detections: [...page.detections], nextCursor: page.nextCursor }
    },

    'energy.get': ({ query, view, refuse }) => {
      const { scope = 'house' } = query
      const range = energyRange(query, parts.clock.now(), refuse)
      const devices = energyScope(scope, view, refuse)
      const { series, ...answer } = parts.energy.answer({ devices, range, standing: scope === 'house' })
      return { scope, ...answer, currency: parts.home().currency, series: [...series] }
    },

    'activity.list': ({ query, view, refuse }) => {
      const now = parts.clock.now()
      const to = query.to ?? now + 1
      // Counted from now: with a range that slid with `to`, whoever follows `nextTo` would never reach its end.
      const from = query.from ?? now - ACTIVITY_RANGE_MS
      if (query.from !== undefined) refuseBackwards(from, to, refuse)
      const page = parts.activity.page({
        subjects: subjectsOf(query.device, view, parts.rules, refuse),
        from,
        to,
        limit: query.limit ?? PAGE_DEFAULT,
      })
      const names = causeView(view, parts.rules)
      return { entries: page.entries.map((entry) => entryJson(entry, view, names)), nextTo: page.nextTo }
    },

    'explain.get': ({ subject, query, view, refuse }) => explained(parts, subject, query, view, refuse),
    'explain.post': ({ body, view, refuse }) => {
      const subject = view.device(body.device) ?? view.scene(body.device) ?? refuse('not_found')
      return explained(parts, subject, body, view, refuse)
    },
  }
}

/** What happened to a device or scene in a range of time, and why. */
function explained(
  parts: RecordParts,
  subject: ExposedDevice | ExposedScene,
  range: { readonly from?: number | null | undefined; readonly to?: number | null | undefined },
  view: ExposedHouse,
  refuse: Refuse,
) {
  const now = parts.clock.now()
  const to = range.to ?? now
  const from = range.from ?? to - EXPLAIN_RANGE_MS
  refuseBackwards(from, to, refuse)
  const answer = explain(
    { about: aboutOf(subject), from, to, now },
    explainView(view, parts.rules),
    parts.explainSources,
  )
  const items = answer.items.map(({ about, cause, ...item }) => ({
    ...item,
    cause: cause && causeJson(cause, view),
    device: about.kind === 'device' ? view.ids.device(about.id) : subjectId(about, view),
  }))
  return { device: subject.id, from: answer.from, to: answer.to, items, note: answer.note }
}

/**
 * The unit whose sensor a device has, or null where the integration sees only some gangs of a module: the sensor belongs to the whole.
 */
function wholeUnit(device: ExposedDevice, view: ExposedHouse): string | null {
  const { unit } = parseDeviceKey(device.key)
  const shown = view.byKey(unit)
  return shown && !shown.onlyGangs ? unit : null
}

function refuseBackwards(from: number, to: number, refuse: Refuse): void {
  if (from > to) refuse('validation', { message: 'from: lies after to.' })
}

/** The time that energy is asked for: a period up to now, a day unless told otherwise, or a range. */
function energyRange(
  { period, from, to }: HandlerCall<(typeof records)['energy.get']>['query'],
  now: number,
  refuse: Refuse,
): Parameters<RecordParts['energy']['answer']>[0]['range'] {
  if (from === undefined && to === undefined) return { period: period ?? 'day' }
  if (period !== undefined) refuse('validation', { message: 'period: say either a period, or from and to.' })
  const until = to ?? now
  const since = from ?? until - DAY_MS
  refuseBackwards(since, until, refuse)
  return { from: since, to: until }
}

function aboutOf(subject: ExposedDevice | ExposedScene): About {
  return subject.type === 'scene' ? { kind: 'scene', id: subject.local } : { kind: 'device', id: subject.key }
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
function subjectsOf(
  deviceId: string | undefined,
  view: ExposedHouse,
  rules: RecordParts['rules'],
  refuse: Refuse<'not_found'>,
): SubjectFilter {
  const moves = (device: DeviceKey): boolean => view.byKey(device) !== undefined
  if (deviceId !== undefined) {
    const thing = view.device(deviceId) ?? view.scene(deviceId) ?? refuse('not_found')
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
