import { type Cause, subjectKey } from '../model/events.ts'
import type { EnergyStore } from '../ports/energy-store.ts'
import type { ActivityStore, DetectionStore, ReadingStore } from '../ports/history-store.ts'

export const EXPORT_TABLES = ['activity', 'detections', 'readings', 'energy'] as const
export type ExportTable = (typeof EXPORT_TABLES)[number]

export interface ExportStores {
  readonly activity: Pick<ActivityStore, 'iterate'>
  readonly detections: Pick<DetectionStore, 'iterate'>
  readonly readings: Pick<ReadingStore, 'iterate'>
  readonly energy: Pick<EnergyStore, 'iterate'>
}

/**
 * One table of the history as lines of CSV (RFC 4180), the column names first. Rows are read lazily, a few hundred at a
 * time, so that years need little memory. `from` is inclusive, `to` exclusive, epoch ms.
 */
export function* exportCsv(stores: ExportStores, table: ExportTable, from: number, to: number): Generator<string> {
  switch (table) {
    case 'activity':
      yield line(['time', 'kind', 'subject', 'what', 'source', 'cause', 'credential', 'data'])
      for (const { at, kind, subject, what, cause, data } of stores.activity.iterate(from, to)) {
        yield line([
          time(at),
          kind,
          subjectKey(subject),
          what,
          cause.source,
          chain(cause),
          origin(cause).link ?? '',
          data === undefined ? '' : JSON.stringify(data),
        ])
      }
      return
    case 'detections':
      yield line(['time', 'unit', 'kind', 'value'])
      for (const { at, unit, kind, value } of stores.detections.iterate(from, to))
        yield line([time(at), unit, kind, String(value)])
      return
    case 'readings':
      yield line(['time', 'unit', 'kind', 'min', 'max', 'mean', 'count'])
      for (const { at, unit, kind, min, max, mean, count } of stores.readings.iterate(from, to))
        yield line([time(at), unit, kind, min, max, mean, count])
      return
    case 'energy':
      yield line(['time', 'device', 'energy_wh'])
      for (const { at, device, mwh } of stores.energy.iterate(from, to)) yield line([time(at), device, mwh / 1_000])
      return
  }
}

/** The whole chain, the nearest cause first: `Evening < Dusk < motion`. */
function chain(cause: Cause): string {
  return cause.by === undefined ? cause.name : `${cause.name} < ${chain(cause.by)}`
}

/** The first cause of the chain. */
function origin(cause: Cause): Cause {
  return cause.by === undefined ? cause : origin(cause.by)
}

function time(at: number): string {
  return new Date(at).toISOString()
}

function line(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : text(cell))).join(',')}\r\n`
}

/** People choose the names: a name that a spreadsheet would take for a formula gets a quote in front. */
function text(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
