import type { Discard } from '../wire/frame.ts'

/** What one unit's radio and load did, for tests that count. */
export interface UnitCounters {
  /** Frames over the air, in both directions, retries included. */
  radioFrames: number
  /** Operations that the unit carried out. */
  commands: number
}

/** Everything that can be counted on the wire and over the air; numbers only grow. */
export interface Counters {
  bytesIn: number
  bytesOut: number
  framesIn: number
  framesOut: number
  dataIn: number
  dataOut: number
  sessions: number
  retransmissions: number
  duplicates: number
  discarded: Record<Discard, number>
  requests: number
  /** Those of them that ask for operations, of one unit or of a group. */
  controls: number
  /** Requests that repeated a remembered id and were answered from memory. */
  repeated: number
  badMessages: number
  reports: number
  /** Reports dropped because nobody listened or too many waited. */
  reportsDropped: number
  commands: number
  radioFrames: number
  readonly units: Map<number, UnitCounters>
}

export function newCounters(): Counters {
  return {
    bytesIn: 0,
    bytesOut: 0,
    framesIn: 0,
    framesOut: 0,
    dataIn: 0,
    dataOut: 0,
    sessions: 0,
    retransmissions: 0,
    duplicates: 0,
    discarded: { overlong: 0, cobs: 0, short: 0, crc: 0, form: 0 },
    requests: 0,
    controls: 0,
    repeated: 0,
    badMessages: 0,
    reports: 0,
    reportsDropped: 0,
    commands: 0,
    radioFrames: 0,
    units: new Map(),
  }
}

export function unitCounters(counters: Counters, address: number): UnitCounters {
  let own = counters.units.get(address)
  if (own === undefined) counters.units.set(address, (own = { radioFrames: 0, commands: 0 }))
  return own
}
