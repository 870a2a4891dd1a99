import { type IntervalHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks'
import { ATTENTION_KINDS, type StatusView } from '../admin/contract/gateway.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { ALARM_KINDS } from '../home/model/device.ts'
import { Asked, exposed, type Metric, type Sample } from '../lib/exposition.ts'
import type { StatusSource } from './status.ts'
import { type Clock, every } from '../lib/clock.ts'

interface Counted {
  readonly metrics: readonly Metric[]
}

/** The parts of the gateway that count for themselves. */
export interface MetricsSource extends Pick<StatusSource, 'clock' | 'tls'> {
  readonly home: StatusSource['home'] & { readonly rules: { readonly runs: { readonly counts: Counted } } }
  readonly api: { readonly dispatcher: { readonly counts: Counted } }
  readonly status: () => StatusView
  readonly loop: LoopDelay
}

/**
 * All that a monitoring system reads (docs/operations.md#metrics), as text. What is counted is counted by the part that
 * does it; the rest is asked here. Names and ids are in it only where they are asked for.
 */
export function gatewayMetrics(source: MetricsSource): (withUnits: boolean) => string {
  const { home, api, loop, clock } = source
  return (withUnits) => {
    const status = source.status()
    return exposed([
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
  new Asked('gauge', name, help, () => (typeof value === 'number' ? [{ value }] : value))
const counter = (name: string, help: string, value: number | readonly Sample[]): Metric =>
  new Asked('counter', name, help, () => (typeof value === 'number' ? [{ value }] : value))
const whether = (name: string, help: string, value: boolean): Metric => gauge(name, help, value ? 1 : 0)

/** The list that people are shown, as alerts take it. */
function ofAttention({ attention }: StatusView): readonly Metric[] {
  const kinds = ATTENTION_KINDS.map((kind) => ({
    labels: { kind },
    value: countOf(attention.filter((each) => each.kind === kind)),
  }))
  const broken = countOf(attention.filter(({ level }) => level === 'broken'))
  return [
    gauge('hm_attention', 'What a person should look at, by kind: the list of bin/hm status.', kinds),
    gauge('hm_attention_broken', 'Those of them with which something that the home needs does not work.', broken),
  ]
}

/** Of units only the first are told one by one. */
const countOf = (told: StatusView['attention']): number => told.reduce((sum, { count }) => sum + count, 0)

function ofTheProcess({ upSeconds, integrations, failedAuthentications }: StatusView): readonly Metric[] {
  const memory = process.memoryUsage()
  return [
    gauge('hm_build_info', 'The interface that is served, and what runs it.', [
      { labels: { api: API_VERSION, node: process.versions.node }, value: 1 },
    ]),
    gauge('hm_up_seconds', 'How long the gateway has been serving.', upSeconds),
    gauge('hm_resident_memory_bytes', 'Memory of the process.', memory.rss),
    gauge('hm_heap_used_bytes', 'What of it JavaScript has in use.', memory.heapUsed),
    gauge('hm_integrations', 'Integrations that there are.', integrations),
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
    gauge('hm_stream_sockets', 'Sockets of the live stream that are open.', sockets),
    gauge('hm_stream_listening', 'Those of them that asked for events.', listening),
    counter('hm_stream_events_total', 'Events that were given to sockets.', delivered),
    counter('hm_stream_collapsed_total', 'Events that a newer one took the place of, for slow readers.', collapsed),
    counter('hm_stream_silent_total', 'Sockets that were ended because their client answered no ping.', silent),
  ]
}

function ofTheBus({ units }: StatusView, counters: Readonly<Record<string, number>>): readonly Metric[] {
  const { waiting = 0, statesOutstanding = 0, ...counted } = counters
  return [
    whether('hm_line_up', 'Whether the adapter carries frames.', units.link === 'up'),
    gauge('hm_units', 'Units that the house knows.', units.inTheHouse),
    gauge('hm_units_silent', 'Those of them that do not answer.', units.unreachable.length),
    gauge('hm_units_without_place', 'Units on the bus that the house does not know yet.', units.withoutPlace),
    gauge('hm_bus_waiting', 'Requests to units that wait for their turn.', waiting),
    gauge(
      'hm_bus_states_outstanding',
      'States that were asked for after a reconnect and have not come.',
      statesOutstanding,
    ),
    counter(
      'hm_bus_events_total',
      'What the line to the units went through, by event: requests, retries, noAnswer (silences), and the like.',
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
    counter('hm_history_rows_total', 'Rows of the history: written, shed (too many came), failed.', rows),
    gauge('hm_history_bytes', 'The size of the history.', history.bytes),
    gauge('hm_configuration_bytes', 'The size of the configuration.', configuration.bytes),
    gauge('hm_disk_bytes', 'The size of the disk under the data folder.', disk.bytes),
    gauge('hm_disk_free_bytes', 'What is free of it.', disk.bytesFree),
    whether('hm_disk_takes_writes', 'Whether changes are stored: not while the disk fails.', disk.state !== 'failing'),
    gauge('hm_incidents', 'What befell the configuration and nobody has acknowledged.', incidents.length),
  ]
}

function ofBackups({ backup: { last, error } }: StatusView): readonly Metric[] {
  const known = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }])
  return [
    gauge(
      'hm_backup_age_seconds',
      'Since the newest backup was made and checked; no row before the first.',
      known(last?.ageSeconds),
    ),
    gauge('hm_backup_bytes', 'The size of the newest backup.', known(last?.bytes)),
    whether('hm_backup_failing', 'Whether the last one could not be made, or not where it should be.', error !== null),
  ]
}

function ofTrust({ relay, clock }: StatusView, { tls }: Pick<MetricsSource, 'tls'>, now: number): readonly Metric[] {
  const isUp = relay.state === 'linked' || relay.state === 'unlinked'
  return [
    gauge('hm_certificate_left_seconds', 'Until the certificate ends.', (tls.leaf().notAfter - now) / 1_000),
    gauge('hm_ca_left_seconds', 'Until the CA ends.', (tls.ca.notAfter - now) / 1_000),
    whether('hm_clock_believed', 'Whether certificates are dated by the clock.', clock === 'believed'),
    whether('hm_cloud_configured', 'Whether a relay is connected to.', relay.state !== 'off'),
    whether('hm_cloud_connected', 'Whether a tunnel to the relay is up.', isUp),
  ]
}

function ofUnits({ home: { house, live } }: Pick<MetricsSource, 'home'>, now: number): readonly Metric[] {
  const units = [...house.units.values()]
  const each = (value: (unit: string) => number | undefined): readonly Sample[] =>
    units.flatMap(({ id, name }) => {
      const known = value(id)
      return known === undefined ? [] : [{ labels: { unit: id, name }, value: known }]
    })
  return [
    gauge(
      'hm_unit_answers',
      'Whether the unit answers.',
      each((id) => (live.reachable(id) ? 1 : 0)),
    ),
    gauge(
      'hm_unit_battery_percent',
      'What its battery has left.',
      each((id) => live.readings(id)?.readings.battery),
    ),
    gauge(
      'hm_unit_alarm',
      'Whether an alarm lasts, by its kind. A unit has a kind from its first report on.',
      units.flatMap(({ id, name }) =>
        ALARM_KINDS.flatMap((kind) => {
          const lasts = live.readings(id)?.readings[kind]
          return lasts === undefined ? [] : [{ labels: { unit: id, name, kind }, value: lasts ? 1 : 0 }]
        }),
      ),
    ),
    gauge(
      'hm_unit_heard_seconds',
      'Since the unit last said something.',
      each((id) => heardFor(live.heardAt(id), now)),
    ),
  ]
}

const heardFor = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(0, now - at) / 1_000

/** Node measures without waking the program up; what is shorter than this is seen only by chance. */
export const RESOLUTION_MS = 100
const MINUTE_MS = 60_000
const SHARES = [0.5, 0.99, 1]

/** How long the event loop lets what is due wait, minute by minute. */
export class LoopDelay implements Disposable {
  readonly #measured: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #lastMinute: readonly Sample[] | null = null
  readonly #stop: () => void
  readonly metrics: readonly Metric[] = [
    new Asked(
      'gauge',
      'hm_event_loop_delay_seconds',
      'How late the event loop was in the last whole minute: at most so late for this share of its time.',
      () => this.#lastMinute ?? delays(this.#measured),
    ),
    new Asked(
      'counter',
      'hm_event_loop_active_seconds_total',
      'For how long the event loop had something to do since the process began.',
      () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
    ),
  ]

  constructor(clock: Clock) {
    this.#measured.enable()
    this.#stop = every(clock, MINUTE_MS, () => {
      this.#lastMinute = delays(this.#measured)
      this.#measured.reset()
    })
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#measured.disable()
  }
}

/**
 * The delay, in seconds, that was not exceeded for a share of the time. Node writes down the time from one look to the
 * next, of which what is beyond the resolution is the delay: a stall is one look, however long it was, so each counts
 * by its length.
 */
export function delays(measured: Pick<RecordableHistogram, 'count' | 'percentile'>): readonly Sample[] {
  const { count } = measured
  const looks = Array.from({ length: count }, (_, at) => measured.percentile((100 * (at + 1)) / count) / 1e6)
  const whole = looks.reduce((sum, ms) => sum + ms, 0)
  return SHARES.map((share) => {
    let passed = 0
    const ms = looks.find((each) => (passed += each) >= share * whole) ?? looks.at(-1) ?? 0
    return { labels: { share }, value: Math.max(0, ms - RESOLUTION_MS) / 1_000 }
  })
}
