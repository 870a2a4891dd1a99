import { encodeFrame, type Frame, FrameSplitter } from '../../../src/hmhc/frame/frame.ts'
import type { UnitEntry } from '../../../src/hmhc/message/codec.ts'
import {
  decodeRequest,
  encodeReply,
  encodeReport,
  type Reply,
  type Report,
  type Request,
} from '../../../src/hmhc/message/messages.ts'
import type { ClassedState } from '../../../src/hmhc/message/state-codec.ts'
import { PortListeners, type Port } from '../../../src/hmhc/port/port.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { fail, ok } from '../../../src/lib/result.ts'

const ACK_WAIT_MS = 250
const SENDS_MAX = 3

/** Delivery of the bytes of one direction: call `arrive` at once, later, twice, with changed bytes, or never. */
export type Delivery = (bytes: Uint8Array, arrive: (bytes: Uint8Array) => void) => void

interface Outstanding {
  readonly seq: number
  readonly bytes: Uint8Array
  sends: number
  cancel: () => void
}

/**
 * An adapter at byte level (docs/hmhc.md), for tests of the gateway's side. It is small, has a switch for each fault
 * and records its requests. It shares the codec with the gateway; the simulator has its own and represents the
 * document.
 */
export class MockAdapter {
  /** Executed requests, in order; a repeated request id is not executed again. */
  readonly executed: { readonly id: number; readonly message: Request }[] = []
  /** Number of DATA frames per request id, repeats included. */
  readonly sendsOf = new Map<number, number>()
  readonly units = new Map<number, UnitEntry>()
  readonly states = new Map<string, ClassedState>()
  readonly discarded: string[] = []
  toAdapter: Delivery = (bytes, arrive) => arrive(bytes)
  toHost: Delivery = (bytes, arrive) => arrive(bytes)
  /** Replaces the default replies: null sends no reply, undefined falls back to the default. */
  answer: (message: Request, id: number) => Reply | null | undefined = () => undefined
  plugged = true
  silent = false
  inFlightMax = 4
  radioUp = true
  boot = 1
  ports = 0
  readonly #clock: Clock
  readonly #splitter = new FrameSplitter()
  readonly #memory = new Map<number, Reply | null>()
  #line: PortListeners | null = null
  #hostId = 0
  #session: number | null = null
  #heardData = false
  #expected = 0
  #seq = 0
  #ackQueue: Uint8Array[] = []
  #outstanding: Outstanding | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get connected(): boolean {
    return this.#session !== null
  }

  /** The executed requests of one name. */
  requests(name: Request['name']): Request[] {
    return this.executed.flatMap(({ message }) => (message.name === name ? [message] : []))
  }

  /** A port for `openPort`: each call returns a new one. */
  openPort = (): Port => {
    const line = new PortListeners()
    this.ports += 1
    return {
      open: async () => {
        if (!this.plugged) return fail('ENOENT')
        this.#line = line
        return ok(null)
      },
      write: (bytes) => {
        if (this.#line === line) this.toAdapter(bytes, (arrived) => this.#onBytes(arrived))
      },
      close: () => {
        line.end()
        if (this.#line === line) this.#line = null
      },
      listeners: line,
    }
  }

  unplug(): void {
    this.plugged = false
    const line = this.#line
    this.#line = null
    line?.down('unplugged')
  }

  /** Raw bytes on the host's side of the line. */
  noise(bytes: Uint8Array): void {
    this.#line?.data(bytes)
  }

  /** Loses power for a moment. */
  restart(): void {
    this.boot += 1
    this.#memory.clear()
    this.#end()
    this.#write({ kind: 'error', session: 0, seq: 0, reason: 'booted', bootReason: 'watchdog' })
  }

  /** Drops the session and keeps the record of requests. */
  dropSession(): void {
    this.#end()
    this.#write({ kind: 'error', session: 0, seq: 0, reason: 'no_session', bootReason: 'power_on' })
  }

  report(report: Report): void {
    this.#tell(encodeReport(report))
  }

  addUnit(
    entry: Pick<UnitEntry, 'address' | 'class' | 'model'> & Partial<UnitEntry>,
    ...states: { gang?: number; state: ClassedState }[]
  ): void {
    this.units.set(entry.address, { firmware: '1.0.0', reachable: true, gangs: [], ...entry })
    for (const { gang, state } of states) this.states.set(`${entry.address}:${gang ?? null}`, state)
  }

  #onBytes(bytes: Uint8Array): void {
    if (this.silent) return
    for (const found of this.#splitter.push(bytes)) {
      if ('frame' in found) this.#take(found.frame)
      else this.discarded.push(found.discarded)
    }
  }

  #take(frame: Frame): void {
    if (frame.kind === 'rst') return this.#reset(frame)
    if (frame.session !== this.#session) {
      if (frame.kind === 'data' || frame.kind === 'ping')
        this.#write({ kind: 'error', session: 0, seq: 0, reason: 'no_session', bootReason: 'power_on' })
      return
    }
    if (frame.kind === 'ping') this.#write({ kind: 'pong', session: frame.session, seq: frame.seq })
    if (frame.kind === 'data') this.#data(frame)
    if (frame.kind === 'ack' && this.#outstanding?.seq === frame.seq) {
      this.#outstanding.cancel()
      this.#outstanding = null
      this.#pump()
    }
    if (frame.kind === 'nak' && this.#outstanding?.seq === frame.seq) this.#send(this.#outstanding)
  }

  #reset(frame: Extract<Frame, { readonly kind: 'rst' }>): void {
    if (frame.session === this.#session && this.#heardData) return
    if (frame.host !== this.#hostId) this.#memory.clear()
    this.#hostId = frame.host
    this.#end()
    this.#session = frame.session
    this.#expected = 0
    this.#seq = 0
    this.#heardData = false
    this.#write({ kind: 'rstack', session: frame.session, seq: 0, version: 1, bootReason: 'power_on', boot: this.boot })
  }

  #data(frame: Extract<Frame, { readonly kind: 'data' }>): void {
    const fresh = frame.seq === this.#expected
    if (!fresh && ((frame.seq + 1) & 0xff) !== this.#expected) {
      return this.#write({ kind: 'nak', session: frame.session, seq: this.#expected, reason: 'sequence' })
    }
    const decoded = decodeRequest(frame.payload)
    if (decoded.ok) this.sendsOf.set(decoded.value.request, (this.sendsOf.get(decoded.value.request) ?? 0) + 1)
    this.#write({ kind: 'ack', session: frame.session, seq: frame.seq })
    if (!fresh) return
    this.#heardData = true
    this.#expected = (frame.seq + 1) & 0xff
    if (decoded.ok) this.#work(decoded.value.request, decoded.value.message)
  }

  #work(id: number, message: Request): void {
    const known = this.#memory.get(id)
    if (known === undefined) this.executed.push({ id, message })
    const special = known === undefined ? this.answer(message, id) : known
    const reply = special === undefined ? this.#defaultReply(message) : special
    this.#memory.set(id, reply)
    if (reply !== null) this.#tell(encodeReply(id, reply))
  }

  #defaultReply(message: Request): Reply {
    switch (message.name) {
      case 'hello':
        return {
          name: 'hello',
          result: 'done',
          serial: 'MOCK-1',
          firmware: '1.0.0',
          network: 1,
          channel: 11,
          radioUp: this.radioUp,
          unitCount: this.units.size,
          inFlightMax: this.inFlightMax,
          groupMax: 20,
          registersMax: 40,
        }
      case 'list_units': {
        const rest = [...this.units.values()]
          .filter((unit) => unit.address > message.after)
          .sort((a, b) => a.address - b.address)
        const units = rest.slice(0, 10)
        return { name: 'list_units', result: 'done', units, next: rest.length > 10 ? (units.at(-1)?.address ?? 0) : 0 }
      }
      case 'read_state': {
        const states = [...this.states]
          .filter(([key]) => key.startsWith(`${message.address}:`))
          .map(([key, state]) => ({ gang: key.endsWith('null') ? null : Number(key.split(':')[1]), ...state }))
        return states.length === 0
          ? { name: 'read_state', result: 'unknown_unit' }
          : { name: 'read_state', result: 'done', states }
      }
      case 'control': {
        const state = this.states.get(`${message.address}:${message.gang}`)
        return state === undefined
          ? { name: 'control', result: 'unknown_unit' }
          : { name: 'control', result: 'done', ...state }
      }
      case 'set_clock':
      case 'ping':
        return { name: message.name, result: 'done' }
      case 'capabilities':
      case 'identify':
      case 'unit_info':
      case 'group_control':
      case 'read_registers':
      case 'write_registers':
      case 'read_schedules':
        return { name: message.name, result: 'bad_request' }
    }
  }

  #tell(payload: Uint8Array): void {
    if (this.#session === null) return
    this.#ackQueue.push(payload)
    this.#pump()
  }

  #pump(): void {
    if (this.#outstanding !== null || this.#session === null) return
    const payload = this.#ackQueue.shift()
    if (payload === undefined) return
    const seq = this.#seq
    this.#seq = (seq + 1) & 0xff
    this.#outstanding = {
      seq,
      bytes: encodeFrame({ kind: 'data', session: this.#session, seq, payload }),
      sends: 0,
      cancel: () => {},
    }
    this.#send(this.#outstanding)
  }

  #send(outstanding: Outstanding): void {
    outstanding.cancel()
    if (outstanding.sends >= SENDS_MAX) return this.dropSession()
    outstanding.sends += 1
    outstanding.cancel = this.#clock.after(ACK_WAIT_MS, () => this.#send(outstanding))
    this.#writeBytes(outstanding.bytes)
  }

  #end(): void {
    this.#outstanding?.cancel()
    this.#outstanding = null
    this.#ackQueue = []
    this.#session = null
  }

  #write(frame: Frame): void {
    this.#writeBytes(encodeFrame(frame))
  }

  #writeBytes(bytes: Uint8Array): void {
    const line = this.#line
    if (!this.silent && line !== null) this.toHost(bytes, (arrived) => line.data(arrived))
  }
}
