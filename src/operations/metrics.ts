import { type IntervalHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks'
import { ATTENTION_KINDS, type StatusView } from '../admin/contract/gateway.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { ALARM_KINDS } from '../home/model/device.ts'
import { CallbackMetric, formatMetrics, type Metric, type Sample } from '../lib/exposition.ts'
import type { StatusSource } from './status.ts'
import { type Clock, every } from '../lib/clock.ts'

interface Counted {
  readonly metrics: readonly Metric[]
}

/** Parts of the gateway with their own metrics. */
export interface MetricsSource extends Pick<StatusSource, 'clock' | 'tls'> {
  readonly home: StatusSource['home'] & { readonly rules: { readonly runs: { readonly counts: Counted } } }
  readonly api: { readonly dispatcher: { readonly counts: Counted } }
  readonly status: () => StatusView
  readonly loop: LoopDelay
}

/**
 * All metrics as text (docs/operations.md#metrics). Counters belong to the parts that count; other values are read
 * here. Names and ids are included only on request.
 */
export function gatewayMetrics(source: MetricsSource): (withUnits: boolean) => string {
  const { home, api, loop, clock } = source
  return (withUnits) => {
    const status = source.status()
    return formatMetrics([
      ...ofAttention(status),
      ...ofTheProcess(status),
      ...loop.metrics,
      ...api.dispatcher.counts.metrics,
      ...ofStreams(status),
      ...ofTheBus(status, home.bus.counters()),
      ...home.rules.runs.counts.metrics,
      ...ofStorage(status),
      ...ofBackups(status),
      ...ofTrust(status, source, clock.now()),
      ...(withUnits ? ofUnits(source, clock.now()) : []),
    ])
  }
}

const gauge = (name: string, help: string, value: number | readonly Sample[]): Metric =>
  new CallbackMetric('gauge', name, help, () => (typeof value === 'number' ? [{ value }] : value))
const counter = (name: string, help: string, value: number | readonly Sample[]): Metric =>
  new CallbackMetric('counter', name, help, () => (typeof value === 'number' ? [{ value }] : value))
const whether = (name: string, help: string, value: boolean): Metric => gauge(name, help, value ? 1 : 0)

/** The attention list as metrics for alerts. */
function ofAttention({ attention }: StatusView): readonly Metric[] {
  const kinds = ATTENTION_KINDS.map((kind) => ({
    labels: { kind },
    value: countOf(attention.filter((item) => item.kind === kind)),
  }))
  const broken = countOf(attention.filter(({ level }) => level === 'broken'))
  return [
    gauge('hm_attention', 'Items that need attention (bin/hm status).', kinds),
    gauge('hm_attention_broken', 'Attention items that stop a needed part.', broken),
  ]
}

/** The list names only the first units, so the counts are added. */
const countOf = (attention: StatusView['attention']): number => attention.reduce((sum, { count }) => sum + count, 0)

function ofTheProcess({ upSeconds, integrations, failedAuthentications }: StatusView): readonly Metric[] {
  const memory = process.memoryUsage()
  return [
    gauge('hm_build_info', 'Version of the API and of Node.', [
      { labels: { api: API_VERSION, node: process.versions.node }, value: 1 },
    ]),
    gauge('hm_up_seconds', 'Time since the start.', upSeconds),
    gauge('hm_resident_memory_bytes', 'Memory of the process.', memory.rss),
    gauge('hm_heap_used_bytes', 'Used JavaScript heap.', memory.heapUsed),
    gauge('hm_integrations', 'Integrations.', integrations),
    gauge(
      'hm_failed_authentications',
      'Requests without a valid credential in the last 24 hours.',
      failedAuthentications,
    ),
  ]
}

function ofStreams({ streams }: StatusView): readonly Metric[] {
  const { sockets = 0, listening = 0, delivered = 0, collapsed = 0, silent = 0 } = streams ?? {}
  return [
    gauge('hm_stream_sockets', 'Open sockets of the live stream.', sockets),
    gauge('hm_stream_listening', 'Sockets with a subscription.', listening),
    counter('hm_stream_events_total', 'Events sent to sockets.', delivered),
    counter('hm_stream_collapsed_total', 'Events replaced by a newer one for slow readers.', collapsed),
    counter('hm_stream_silent_total', 'Sockets closed after unanswered pings.', silent),
  ]
}

function ofTheBus({ units }: StatusView, counters: Readonly<Record<string, number>>): readonly Metric[] {
  const { waiting = 0, statesOutstanding = 0, ...counted } = counters
  return [
    whether('hm_line_up', '1 if the adapter carries frames.', units.link === 'up'),
    gauge('hm_units', 'Units of the house.', units.inTheHouse),
    gauge('hm_units_silent', 'Units that do not answer.', units.unreachable.length),
    gauge('hm_units_without_place', 'Units on the bus without a place in the house.', units.withoutPlace),
    gauge('hm_bus_waiting', 'Waiting requests to units.', waiting),
    gauge('hm_bus_states_outstanding', 'States still missing after a reconnect.', statesOutstanding),
    counter(
      'hm_bus_events_total',
      'Events of the line: requests, retries, noAnswer (silences) and others.',
      Object.entries(counted).map(([event, value]) => ({ labels: { event }, value })),
    ),
  ]
}

function ofStorage({ history, disk, configuration, incidents }: StatusView): readonly Metric[] {
  const rows = (['written', 'shed', 'failed'] as const).map((outcome) => ({
    labels: { outcome },
    value: history[outcome],
  }))
  return [
    counter('hm_history_rows_total', 'Rows of the history: written, shed (too many), failed.', rows),
    gauge('hm_history_bytes', 'Size of the history.', history.bytes),
    gauge('hm_configuration_bytes', 'Size of the configuration.', configuration.bytes),
    gauge('hm_disk_bytes', "Size of the data folder's disk.", disk.bytes),
    gauge('hm_disk_free_bytes', 'Free space of that disk.', disk.bytesFree),
    whether('hm_disk_takes_writes', '1 if the disk accepts writes.', disk.state !== 'failing'),
    gauge('hm_incidents', 'Unacknowledged incidents of the configuration.', incidents.length),
  ]
}

function ofBackups({ backup: { last, error } }: StatusView): readonly Metric[] {
  const known = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }])
  return [
    gauge(
      'hm_backup_age_seconds',
      'Age of the newest checked backup; no row before the first.',
      known(last?.ageSeconds),
    ),
    gauge('hm_backup_bytes', 'Size of the newest backup.', known(last?.bytes)),
    whether('hm_backup_failing', '1 if the last backup failed or lies elsewhere.', error !== null),
  ]
}

function ofTrust({ relay, clock }: StatusView, { tls }: Pick<MetricsSource, 'tls'>, now: number): readonly Metric[] {
  const isUp = relay.state === 'linked' || relay.state === 'unlinked'
  return [
    gauge('hm_certificate_left_seconds', 'Time until the certificate ends.', (tls.leaf().notAfter - now) / 1_000),
    gauge('hm_ca_left_seconds', 'Time until the CA ends.', (tls.ca.notAfter - now) / 1_000),
    whether('hm_clock_believed', '1 if certificates are dated by the clock.', clock === 'believed'),
    whether('hm_cloud_configured', '1 if a relay is configured.', relay.state !== 'off'),
    whether('hm_cloud_connected', '1 if a tunnel to the relay is up.', isUp),
  ]
}

function ofUnits({ home: { house, live } }: Pick<MetricsSource, 'home'>, now: number): readonly Metric[] {
  const units = [...house.units.values()]
  const perUnit = (value: (unit: string) => number | undefined): readonly Sample[] =>
    units.flatMap(({ id, name }) => {
      const known = value(id)
      return known === undefined ? [] : [{ labels: { unit: id, name }, value: known }]
    })
  return [
    gauge(
      'hm_unit_answers',
      '1 if the unit answers.',
      perUnit((id) => (live.reachable(id) ? 1 : 0)),
    ),
    gauge(
      'hm_unit_battery_percent',
      'Charge of its battery.',
      perUnit((id) => live.readings(id)?.readings.battery),
    ),
    gauge(
      'hm_unit_alarm',
      '1 during an alarm; a kind exists from its first report on.',
      units.flatMap(({ id, name }) =>
        ALARM_KINDS.flatMap((kind) => {
          const lasts = live.readings(id)?.readings[kind]
          return lasts === undefined ? [] : [{ labels: { unit: id, name, kind }, value: lasts ? 1 : 0 }]
        }),
      ),
    ),
    gauge(
      'hm_unit_heard_seconds',
      "Time since the unit's last sign of life.",
      perUnit((id) => silentFor(live.lastReportAt(id), now)),
    ),
  ]
}

const silentFor = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(0, now - at) / 1_000

/** Resolution of Node's measurement; shorter delays are seen only by chance. */
export const RESOLUTION_MS = 100
const MINUTE_MS = 60_000
/** Node measures with a timer that wakes a resting process, so the measurement stops without readers. */
const UNREAD_MINUTES_MAX = 10
const SHARES = [0.5, 0.99, 1]

/** Delay of the event loop, minute by minute, while somebody reads the metrics. */
export class LoopDelay implements Disposable {
  readonly #clock: Clock
  readonly #measured: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #lastMinute: readonly Sample[] | null = null
  #unreadMinutes = 0
  #stop: (() => void) | null = null
  readonly metrics: readonly Metric[] = [
    new CallbackMetric(
      'gauge',
      'hm_event_loop_delay_seconds',
      'Delay of the event loop in the last whole minute, by share of the time.',
      () => this.#read(),
    ),
    new CallbackMetric('counter', 'hm_event_loop_active_seconds_total', 'Busy time of the event loop.', () => [
      { value: performance.eventLoopUtilization().active / 1_000 },
    ]),
  ]

  constructor(clock: Clock) {
    this.#clock = clock
  }

  #read(): readonly Sample[] {
    this.#unreadMinutes = 0
    if (this.#stop === null) {
      this.#measured.enable()
      this.#stop = every(this.#clock, MINUTE_MS, () => this.#endMinute())
    }
    return this.#lastMinute ?? delays(this.#measured)
  }

  #endMinute(): void {
    this.#lastMinute = delays(this.#measured)
    this.#measured.reset()
    this.#unreadMinutes += 1
    if (this.#unreadMinutes > UNREAD_MINUTES_MAX) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#stop?.()
    this.#stop = null
    this.#lastMinute = null
    this.#measured.disable()
  }
}

/**
 * Delay in seconds that was not exceeded for each share of the time. Node records the time between two looks; the part
 * beyond the resolution is the delay. A stall is one look of any length, so each look is weighted by its length.
 */
export function delays(measured: Pick<RecordableHistogram, 'count' | 'percentile'>): readonly Sample[] {
  const { count } = measured
  const looks = Array.from({ length: count }, (_, at) => measured.percentile((100 * (at + 1)) / count) / 1e6)
  const whole = looks.reduce((sum, ms) => sum + ms, 0)
  return SHARES.map((share) => {
    let passed = 0
    const ms = looks.find((look) => (passed += look) >= share * whole) ?? looks.at(-1) ?? 0
    return { labels: { share }, value: Math.max(0, ms - RESOLUTION_MS) / 1_000 }
  })
}
