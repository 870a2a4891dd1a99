import { isObject } from '../../lib/json.ts'
import { type ActivityEntry, subjectKey } from '../model/events.ts'
import type { DeviceState } from '../model/device.ts'
import type { About, ExplainSources } from './explanation.ts'

/** A recorded change of a device or of one of its gangs. */
export interface RecordedChange {
  readonly entry: ActivityEntry
  /** False if the device has other values now, so that a later change was not recorded. */
  readonly holds: boolean
}

interface LastChanges {
  /** The newest change behind the present values. */
  readonly newest: RecordedChange | null
  /** The newest change that switched the device on or off, moved it, or locked or unlocked it. */
  readonly switched: RecordedChange | null
}

interface Parts {
  readonly sources: Pick<ExplainSources, 'house' | 'state'>
  /** True for the present; a past range is explained by its entries only. */
  readonly live: boolean
}

/** Finds the changes behind a device's present state among its entries, newest first. */
export function lastChanges(entries: Iterable<ActivityEntry>, about: About, { sources, live }: Parts): LastChanges {
  const measures = isSensing(about, sources)
  const newer = new Set<string>()
  let newest: RecordedChange | null = null
  for (const entry of entries) {
    if (entry.data?.['replaced'] === true) return replaced(entry, newest)
    const state = live && entry.subject.kind === 'device' ? sources.state(entry.subject.id)?.state : undefined
    if (entry.kind !== 'state' && !(measures && isReadingOf(state, entry))) continue
    const change = { entry, holds: !contradicts(state, entry, newer) }
    newest ??= change
    if (switches(state, entry)) return { newest, switched: change }
  }
  return { newest, switched: null }
}

/** A new unit is as it was at its arrival: its first state is read without an entry of its own. */
function replaced(entry: ActivityEntry, newest: RecordedChange | null): LastChanges {
  const change = { entry, holds: true }
  return { newest: newest ?? change, switched: change }
}

/** True for on, open, unlocked or moving. */
export function isActive(state: DeviceState | undefined): boolean {
  if (state === undefined) return false
  if ('on' in state) return state.on
  if ('locked' in state) return !state.locked
  return 'pos' in state && (state.pos > 0 || state.move !== 'stopped')
}

/** True if a change left the device on, open, unlocked or moving. */
export function leavesActive(entry: ActivityEntry): boolean {
  const to = valuesOf(entry)
  return (
    to['on'] === true ||
    to['locked'] === false ||
    ('pos' in to && Number(to['pos']) > 0) ||
    ('move' in to && to['move'] !== 'stopped')
  )
}

/** The state of a sensor or meter is its readings, and their changes are recorded as detections. */
function isSensing({ kind, id }: About, { house }: Parts['sources']): boolean {
  const deviceClass = kind === 'device' ? house.devices.get(id)?.class : undefined
  return deviceClass === 'sensor' || deviceClass === 'meter'
}

/** True if the state still has the reading that a detection reported. The end of a motion is not recorded. */
function isReadingOf(state: DeviceState | undefined, { kind, data }: ActivityEntry): boolean {
  if (kind !== 'detection') return false
  const detection = data?.['detection']
  return state === undefined || (typeof detection === 'string' && fieldsOf(state)[detection] === data?.['value'])
}

/** True if a change switched, moved or locked the device. For a state without such a field, every change counts. */
function switches(state: DeviceState | undefined, entry: ActivityEntry): boolean {
  const to = valuesOf(entry)
  if (state === undefined) return ['on', 'locked', 'pos', 'move'].some((field) => field in to)
  if ('on' in state) return 'on' in to
  if ('locked' in state) return 'locked' in to
  return !('pos' in state) || 'pos' in to || 'move' in to
}

/** True if a field that no newer entry changed has another value than the entry left. */
function contradicts(state: DeviceState | undefined, entry: ActivityEntry, newer: Set<string>): boolean {
  const now = state === undefined ? {} : fieldsOf(state)
  const fields = Object.entries(valuesOf(entry)).filter(
    ([field]) => !newer.has(`${subjectKey(entry.subject)} ${field}`),
  )
  for (const [field] of fields) newer.add(`${subjectKey(entry.subject)} ${field}`)
  return (
    state !== undefined &&
    fields.some(([field, value]) => field in now && now[field] !== value && !changesUnrecorded(field, state))
  )
}

/** The level of a light that is off, a position during a movement and a lost movement change without an entry. */
function changesUnrecorded(field: string, state: DeviceState): boolean {
  if (field === 'bri') return 'on' in state && !state.on
  if (field === 'move') return 'move' in state && state.move === 'unknown'
  return field === 'pos' && 'move' in state && state.move !== 'stopped'
}

function valuesOf({ data }: ActivityEntry): Readonly<Record<string, unknown>> {
  const to = data?.['to']
  return isObject(to) ? to : {}
}

function fieldsOf(state: DeviceState): Readonly<Record<string, unknown>> {
  return { ...state }
}
