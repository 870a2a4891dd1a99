import { type Agenda, type Cancel, Countdown } from '../model/agenda.ts'
import { encodeFrame, FrameReader, frameOf, KIND, magicPayload, type Discard, type Frame } from '../wire/frame.ts'
import type { Counters } from './counters.ts'

/** Version bytes: 1 is HMHC 1.0, 2 is HMHC 1.1. */
export type ProtocolVersion = 1 | 2
const ACK_WAIT_MS = 250
const SENDS_MAX = 3
const HOST_SILENT_MS = 5_000
/** Minimum interval between NAK and ERROR frames. */
const COMPLAINT_GAP_MS = 100
const BOOT_MS = 150

export const BOOT_REASONS = ['power_on', 'reset_button', 'watchdog', 'brown_out', 'firmware_update', 'fault'] as const
export type BootReason = (typeof BOOT_REASONS)[number]
const ERROR = { booted: 1, noSession: 2, hostSilent: 3 } as const
const NAK = { damaged: 1, sequence: 2 } as const

export interface LinkUser {
  /** A message of the host, once each. */
  onMessage(payload: Buffer): void
  onSession(hostId: number): void
  onSessionEnd(): void
  /** The next message to send, or null. Called whenever the window is free. */
  nextMessage(): Buffer | null
}

interface Outstanding {
  readonly seq: number
  readonly bytes: Buffer
  sends: number
  cancel: Cancel
}

export interface AdapterLinkParts {
  readonly agenda: Agenda
  readonly counters: Counters
  readonly send: (bytes: Buffer) => void
  readonly user: LinkUser
  /** The highest version that the adapter speaks. */
  readonly version: ProtocolVersion
}

/** The adapter's side of the link: docs/hmhc.md, section 1. Delivers messages exactly once and in order. */
export class AdapterLink {
  readonly #parts: AdapterLinkParts
  readonly #silence: Countdown
  #reader: FrameReader
  #bootReason: BootReason = 'power_on'
  #bootId = 0
  #booting = false
  /** True if frames of the host are acknowledged. */
  acknowledges = true
  #session: number | null = null
  #version = 1
  #receivedData = false
  #expected = 0
  #nextSeq = 0
  #outstanding: Outstanding | null = null
  #complainedAt = { nak: -Infinity, error: -Infinity }

  constructor(parts: AdapterLinkParts) {
    this.#parts = parts
    this.#silence = new Countdown(parts.agenda, () => this.#end(ERROR.hostSilent))
    this.#reader = this.#newReader()
  }

  get session(): number | null {
    return this.#session
  }

  /** Version byte of the session. */
  get version(): number {
    return this.#version
  }

  receive(bytes: Uint8Array): void {
    if (this.#booting) return
    this.#parts.counters.bytesIn += bytes.length
    this.#reader.push(bytes)
  }

  /** Boots, as after power on; reports when it is up. */
  boot(reason: BootReason, bootId: number, announce: boolean): void {
    this.#end(null)
    this.#bootReason = reason
    this.#bootId = bootId
    this.#reader = this.#newReader()
    if (!announce) return
    this.#booting = true
    this.#parts.agenda.after(BOOT_MS, () => {
      this.#booting = false
      this.#error(ERROR.booted)
    })
  }

  /** Sends pending messages if the window is free. */
  pump(): void {
    if (this.#session === null || this.#outstanding !== null) return
    const payload = this.#parts.user.nextMessage()
    if (payload === null) return
    const seq = this.#nextSeq
    this.#nextSeq = (seq + 1) & 0xff
    const bytes = encodeFrame({ kind: KIND.data, session: this.#session, seq, payload })
    this.#outstanding = { seq, bytes, sends: 0, cancel: () => {} }
    this.#parts.counters.dataOut++
    this.#sendOutstanding(this.#outstanding)
  }

  #newReader(): FrameReader {
    return new FrameReader(
      (frame) => this.#onFrame(frame),
      (why) => this.#onDiscard(why),
    )
  }

  #onDiscard(why: Discard): void {
    this.#parts.counters.discarded[why]++
    if (this.#session !== null) this.#nak(NAK.damaged)
  }

  #onFrame(frame: Frame): void {
    this.#parts.counters.framesIn++
    if (frame.kind === KIND.rst) return this.#onReset(frame)
    if (this.#session === null || frame.session !== this.#session) {
      if (frame.kind === KIND.data || frame.kind === KIND.ping) this.#error(ERROR.noSession)
      return
    }
    this.#silence.start(HOST_SILENT_MS)
    if (frame.kind === KIND.data) this.#onData(frame)
    else if (frame.kind === KIND.ping) this.#transmit(encodeFrame(frameOf(KIND.pong, frame.session, frame.seq)))
    else if (frame.kind === KIND.ack) this.#onAck(frame.seq)
    else if (frame.kind === KIND.nak) this.#onNak(frame.seq)
  }

  #onReset(frame: Frame): void {
    if (frame.session === 0 || (frame.session === this.#session && this.#receivedData)) return
    const version = Math.min(this.#parts.version, frame.payload[4] ?? 0)
    this.#version = version
    if (frame.session !== this.#session) {
      this.#end(null)
      this.#session = frame.session
      this.#receivedData = false
      this.#expected = 0
      this.#nextSeq = 0
      this.#parts.counters.sessions++
      this.#parts.user.onSession(frame.payload.readUInt32BE(5))
    }
    this.#silence.start(HOST_SILENT_MS)
    const bootId = Buffer.alloc(4)
    bootId.writeUInt32BE(this.#bootId)
    this.#transmit(
      encodeFrame(frameOf(KIND.rstack, frame.session, 0, magicPayload(version, this.#bootReasonCode(), ...bootId))),
    )
  }

  #onData(frame: Frame): void {
    if (frame.seq === this.#expected) {
      this.#receivedData = true
      this.#expected = (frame.seq + 1) & 0xff
      this.#parts.counters.dataIn++
      this.#ack(frame)
      this.#parts.user.onMessage(frame.payload)
    } else if (this.#receivedData && frame.seq === ((this.#expected - 1) & 0xff)) {
      this.#parts.counters.duplicates++
      this.#ack(frame)
    } else {
      this.#nak(NAK.sequence)
    }
  }

  #ack({ session, seq }: Frame): void {
    if (this.acknowledges) this.#transmit(encodeFrame(frameOf(KIND.ack, session, seq)))
  }

  #onAck(seq: number): void {
    if (this.#outstanding?.seq !== seq) return
    this.#outstanding.cancel()
    this.#outstanding = null
    this.pump()
  }

  #onNak(seq: number): void {
    if (this.#outstanding?.seq !== seq) return
    this.#outstanding.cancel()
    this.#resend(this.#outstanding)
  }

  #resend(outstanding: Outstanding): void {
    if (outstanding.sends >= SENDS_MAX) return this.#end(ERROR.hostSilent)
    this.#parts.counters.retransmissions++
    this.#sendOutstanding(outstanding)
  }

  #sendOutstanding(outstanding: Outstanding): void {
    outstanding.sends++
    outstanding.cancel = this.#parts.agenda.after(ACK_WAIT_MS, () => this.#resend(outstanding))
    this.#transmit(outstanding.bytes)
  }

  #end(error: number | null): void {
    this.#outstanding?.cancel()
    this.#outstanding = null
    this.#silence.stop()
    if (this.#session === null) return
    this.#session = null
    this.#parts.user.onSessionEnd()
    if (error !== null) this.#error(error)
  }

  #nak(reason: number): void {
    if (this.#session === null || !this.#mayComplain('nak')) return
    this.#transmit(encodeFrame(frameOf(KIND.nak, this.#session, this.#expected, [reason])))
  }

  #error(reason: number): void {
    if (!this.#mayComplain('error')) return
    this.#transmit(encodeFrame(frameOf(KIND.error, 0, 0, magicPayload(reason, this.#bootReasonCode()))))
  }

  #mayComplain(kind: 'nak' | 'error'): boolean {
    const now = this.#parts.agenda.now()
    if (now - this.#complainedAt[kind] < COMPLAINT_GAP_MS) return false
    this.#complainedAt[kind] = now
    return true
  }

  #bootReasonCode(): number {
    return BOOT_REASONS.indexOf(this.#bootReason) + 1
  }

  #transmit(bytes: Buffer): void {
    this.#parts.counters.framesOut++
    this.#parts.counters.bytesOut += bytes.length
    this.#parts.send(bytes)
  }
}
