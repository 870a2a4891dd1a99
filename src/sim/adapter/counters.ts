import type { Discard } from '../wire/frame.ts'

/** Counters of one unit's radio and load, for tests. */
export interface UnitCounters {
  /** Frames over the air, in both directions, retries included. */
  radioFrames: number
  /** Number of executed operations. */
  commands: number
}

/** All counters of the wire and the air; numbers only grow. */
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
  /** Number of requests for operations, of one unit or of a group. */
  controls: number
  /** Number of repeated request ids answered from memory. */
  repeated: number
  badMessages: number
  reports: number
  /** Number of dropped reports, without a host or beyond the bound. */
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
