import { isFlag, parseDeviceKey, type ReadingKind } from '../model/device.ts'
import { type ActivityEntry, changeTriggerOf, subjectKey } from '../model/events.ts'
import type { DeviceCondition, Value } from '../model/rules.ts'
import type { ActivityStore, PastReader, PastValue, ReadingStore } from '../ports/history-store.ts'

/** Entries of a device that are read for one test, and those of one read. */
const ENTRIES_MAX = 500
const PAGE = 50

interface PastValuesParts {
  readonly activity: Pick<ActivityStore, 'page'>
  readonly readings: Pick<ReadingStore, 'before'>
}

/** Values of conditions from the history: states and contact by the activity, readings by their plot. */
export class PastValues implements PastReader {
  readonly #parts: PastValuesParts

  constructor(parts: PastValuesParts) {
    this.#parts = parts
  }

  valuesOf(test: DeviceCondition, to: number): Iterable<PastValue> {
    if ('reachable' in test) return this.#entries(parseDeviceKey(test.device).unit, to, contactIn)
    if ('state' in test) return this.#entries(test.device, to, (entry) => stateIn(entry, test.state))
    return this.#readings(test.device, 'reading' in test ? test.reading : test.detection, to)
  }

  *#entries(device: string, end: number, valueIn: (entry: ActivityEntry) => PastValue | null): Iterable<PastValue> {
    const subjects = { only: [subjectKey({ kind: 'device', id: device })] }
    let to: number | null = end
    for (let read = 0; to !== null && read < ENTRIES_MAX;) {
      const { entries, nextTo } = this.#parts.activity.page({ subjects, from: 0, to, limit: PAGE })
      for (const entry of entries) {
        const value = valueIn(entry)
        if (value !== null) yield value
      }
      read += entries.length
      to = nextTo
    }
  }

  *#readings(device: string, kind: ReadingKind, to: number): Iterable<PastValue> {
    for (const { at, value } of this.#parts.readings.before(device, kind, to))
      yield { at, value: isFlag(kind) ? value === 1 : value, by: null }
  }
}

type Fields = Readonly<Record<string, Value | undefined>>

/** The change of a state field in an entry. */
function stateIn({ at, kind, data, cause }: ActivityEntry, field: string): PastValue | null {
  const { from, to } = (data ?? {}) as { readonly from?: Fields; readonly to?: Fields }
  const value = kind === 'state' ? to?.[field] : undefined
  return value === undefined ? null : { at, value, before: from?.[field], by: changeTriggerOf(cause) }
}

function contactIn({ at, kind, data }: ActivityEntry): PastValue | null {
  const reachable = kind === 'unit' ? data?.['reachable'] : undefined
  return typeof reachable === 'boolean' ? { at, value: reachable, by: null } : null
}
