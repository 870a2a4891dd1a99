import type { DetectionPage, DetectionRecord, DetectionStore } from '../../home/ports/history-store.ts'
import type { Detection } from '../../home/model/device.ts'
import { HistoryStore, paged } from './history-parts.ts'
import { DEVICE } from './subject-numbers.ts'

const CURSOR = /^[A-Za-z0-9_-]{11}$/
/** Number of detections of one unit per millisecond. */
const PLACES_PER_MS = 1_024

interface Row {
  readonly at: number
  readonly n: number
  readonly kind: Detection
  readonly value: number
}

/** Detections in history.db, ordered by unit, then time. */
export class SqliteDetectionStore extends HistoryStore implements DetectionStore {
  record(unit: string, detection: DetectionRecord): void {
    this.parts.writer.add(() => {
      this.parts.misdated.note(detection.at)
      const number = this.parts.names.device(unit)
      const n =
        this.parts.db
          .prepare<[number, number], { n: number }>('SELECT count(*) AS n FROM detections WHERE unit = ? AND at = ?')
          .get(number, detection.at)?.n ?? 0
      if (n < PLACES_PER_MS)
        this.parts.db
          .prepare('INSERT INTO detections (unit, at, n, kind, value) VALUES (?, ?, ?, ?, ?)')
          .run(number, detection.at, n, detection.kind, detection.value ? 1 : 0)
    })
  }

  page(unit: string, cursor: string | null, limit: number): DetectionPage | null {
    this.parts.writer.flush()
    const before = cursor === null ? { at: Number.MAX_SAFE_INTEGER, n: 0 } : parseCursor(cursor)
    if (before === null) return null
    const number = this.parts.names.findDevice(unit)
    const rows =
      number === undefined
        ? []
        : this.parts.db
            .prepare<[number, number, number, number], Row>(
              'SELECT at, n, kind, value FROM detections WHERE unit = ? AND (at, n) < (?, ?) ORDER BY at DESC, n DESC LIMIT ?',
            )
            .all(number, before.at, before.n, limit + 1)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return { detections: rows.slice(0, limit).map(fromRow), nextCursor: last === undefined ? null : formatCursor(last) }
  }

  between(
    units: readonly string[],
    from: number,
    to: number,
    limit: number,
  ): readonly (DetectionRecord & { readonly unit: string })[] {
    this.parts.writer.flush()
    const newest = this.parts.db.prepare<[number, number, number, number], Row>(
      'SELECT at, n, kind, value FROM detections WHERE unit = ? AND at >= ? AND at < ? ORDER BY at DESC, n DESC LIMIT ?',
    )
    return units
      .flatMap((unit) => {
        const number = this.parts.names.findDevice(unit)
        return number === undefined ? [] : newest.all(number, from, to, limit).map((row) => ({ unit, ...fromRow(row) }))
      })
      .toSorted((a, b) => b.at - a.at)
      .slice(0, limit)
  }

  *iterate(from: number, to: number): Iterable<DetectionRecord & { readonly unit: string }> {
    this.parts.writer.flush()
    const forward = this.parts.db.prepare<[number, number, number, number], Row>(
      'SELECT at, n, kind, value FROM detections WHERE unit = ? AND (at, n) > (?, ?) AND at < ? ORDER BY at, n LIMIT 500',
    )
    for (const unit of this.#units()) {
      const number = this.parts.names.device(unit)
      for (const row of paged<Row>((last) => forward.all(number, last?.at ?? from, last?.n ?? -1, to)))
        yield { unit, ...fromRow(row) }
    }
  }

  #units(): readonly string[] {
    const sql = `SELECT ${DEVICE} FROM subjects s WHERE EXISTS (SELECT 1 FROM detections d WHERE d.unit = s.id) ORDER BY s.key`
    return this.parts.db.prepare<[], string>(sql).pluck().all()
  }
}

function fromRow(row: Row): DetectionRecord {
  return { at: row.at, kind: row.kind, value: row.value === 1 }
}

/**
 * A cursor contains the last row's time and its count within this unit's millisecond, so it reveals nothing about other
 * units.
 */
function formatCursor(place: { readonly at: number; readonly n: number }): string {
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(place.at, 0, 6)
  bytes.writeUInt16BE(place.n, 6)
  return bytes.toString('base64url')
}

function parseCursor(cursor: string): { readonly at: number; readonly n: number } | null {
  if (!CURSOR.test(cursor)) return null
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.length === 8 && bytes.toString('base64url') === cursor
    ? { at: bytes.readUIntBE(0, 6), n: bytes.readUInt16BE(6) }
    : null
}
