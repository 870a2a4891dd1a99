import type { ExposedDevice, ExposedHouse, ExposedScene } from '../../exposure/exposed-house.ts'
import { explain } from '../../home/explain/explain.ts'
import type { About, ExplainSources, ExplainView } from '../../home/explain/explanation.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { parseDeviceKey } from '../../home/model/device.ts'
import type { HomeInfo } from '../../home/model/house.ts'
import type { DetectionStore, ReadingRange, ReadingStore } from '../../home/ports/history-store.ts'
import type { Energy } from '../../home/record/energy.ts'
import type { records } from '../contract/records.ts'
import { type DeviceFilter, deviceFilter } from '../house-shape.ts'
import type { Refuse } from '../errors.ts'
import { causeJson, causeView, subjectId } from '../exposed-causes.ts'
import type { HandlerCall, HandlersOf } from '../handler.ts'
import { type ActivityParts, activityPage } from './activity-page.ts'
import { energyScope } from './energy-scope.ts'
import { beginningOf, refuseBackwards } from './range.ts'
import { DAY_MS } from '../../lib/durations.ts'

export interface RecordParts extends ActivityParts {
  readonly live: LiveHome
  readonly detections: Pick<DetectionStore, 'page'>
  readonly readings: Pick<ReadingStore, 'range'>
  readonly energy: Pick<Energy, 'answer'>
  readonly explainSources: ExplainSources
  readonly home: () => HomeInfo
}

/** Spec 8: default range. */
const EXPLAIN_RANGE_MS = DAY_MS
const PAGE_DEFAULT = 50
const POINTS_DEFAULT = 100
/** Rows of readings that count as one request. */
export const ROWS_A_REQUEST = 1_000
const NOT_MEASURED: ReadingRange = { points: [], rows: 0 }

export function recordHandlers(parts: RecordParts): HandlersOf<typeof records> {
  return {
    'sensors.list': ({ query, view, refuse }) => ({
      sensors: sensorsOf(view, deviceFilter(query, view, parts.live, refuse), parts.live),
    }),

    'sensors.detections': ({ subject, query, view, refuse }) => {
      const unit = wholeUnit(subject, view)
      if (unit === null) return { device: subject.id, detections: [], nextCursor: null }
      const page =
        parts.detections.page(unit, query.cursor ?? null, query.limit ?? PAGE_DEFAULT) ??
        refuse('validation', { message: 'cursor: is unknown to this gateway; begin without a cursor.' })
      return { device: subject.id, detections: [...page.detections], nextCursor: page.nextCursor }
    },

    'devices.readings': async ({ subject, query, view, refuse, countMore }) => {
      const { kind, points = POINTS_DEFAULT } = query
      const to = query.to ?? parts.clock.now()
      const from = query.from ?? beginningOf(to, DAY_MS)
      refuseBackwards(from, to, refuse)
      // A gang measures its own power; its other readings are its module's.
      const device = subject.type === 'gang' && kind === 'power' ? subject.key : wholeUnit(subject, view)
      const measured = device === null ? NOT_MEASURED : await parts.readings.range(device, kind, from, to, points)
      countMore(Math.floor(measured.rows / ROWS_A_REQUEST))
      const series = measured.points.map(({ at, min, mean, max }) => ({
        at,
        min,
        mean: roundedMean(mean, min, max),
        max,
      }))
      return { device: subject.id, kind, from, to, series }
    },

    'energy.get': ({ query, view, refuse }) => {
      const { scope = 'house' } = query
      const range = energyRange(query, parts.clock.now(), refuse)
      const devices = energyScope(scope, view, refuse, parts.removed)
      const removed = devices.filter((key) => view.byKey(key) === undefined)
      // Only the whole house has a standing charge, not an exposed part of it.
      const standing = scope === 'house' && view.integration.exposure.expose === 'All'
      const { series, ...answer } = parts.energy.answer({ devices, range, standing })
      const past = removed.length === 0 ? null : parts.energy.answer({ devices: removed, range, standing: false })
      return {
        scope,
        ...answer,
        currency: parts.home().currency,
        ...(past === null || past.energy === 0 ? {} : { gone: { energy: past.energy, cost: past.cost } }),
        series: [...series],
      }
    },

    'activity.list': (call) => activityPage(call, parts),

    'explain.get': ({ subject, query, view, refuse }) => explanationOf(parts, subject, query, view, refuse),
    'explain.post': ({ body, view, refuse }) => {
      const subject = view.device(body.device) ?? view.scene(body.device) ?? refuse('not_found', { field: 'device' })
      return explanationOf(parts, subject, body, view, refuse)
    },
  }
}

/** Explains a device or scene in a range of time. */
function explanationOf(
  parts: RecordParts,
  subject: ExposedDevice | ExposedScene,
  range: { readonly from?: number | null | undefined; readonly to?: number | null | undefined },
  view: ExposedHouse,
  refuse: Refuse,
) {
  const now = parts.clock.now()
  const to = range.to ?? now
  const from = range.from ?? beginningOf(to, EXPLAIN_RANGE_MS)
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
 * The unit with the device's sensor, or null if the integration sees only some gangs of the module: the sensor belongs
 * to the whole unit.
 */
function wholeUnit(device: ExposedDevice, view: ExposedHouse): string | null {
  const { unit } = parseDeviceKey(device.key)
  const exposed = view.byKey(unit)
  return exposed && !exposed.onlyGangs ? unit : null
}

/** Rounds a mean to 0.01, finer than any sensor, and keeps it between minimum and maximum. */
function roundedMean(mean: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.round(mean * 100) / 100))
}

/** Time of an energy request: a period up to now (a day by default), or a range. */
function energyRange(
  { period, from, to }: HandlerCall<(typeof records)['energy.get']>['query'],
  now: number,
  refuse: Refuse,
): Parameters<RecordParts['energy']['answer']>[0]['range'] {
  if (from === undefined && to === undefined) return { period: period ?? 'day' }
  if (period !== undefined) refuse('validation', { message: 'period: send either a period, or from and to.' })
  const until = to ?? now
  const since = from ?? beginningOf(until, DAY_MS)
  refuseBackwards(since, until, refuse)
  return { from: since, to: until }
}

function aboutOf(subject: ExposedDevice | ExposedScene): About {
  return subject.type === 'scene' ? { kind: 'scene', id: subject.local } : { kind: 'device', id: subject.key }
}

/** Sensors, meters, and all other units and gangs with readings. */
function sensorsOf(view: ExposedHouse, fits: DeviceFilter | null, live: LiveHome) {
  return [...view.devices()].flatMap((device) => {
    if (device.onlyGangs || fits?.(device) === false) return []
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
