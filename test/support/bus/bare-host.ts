import { ManualClock } from '#support/clocks/manual-clock.ts'
import { DEMO_PLAN } from '../../../src/demo/demo-plan.ts'
import type { SimPort } from '../../../src/sim/line/sim-port.ts'
import { SimulatedHouse, type SimulatedHouseOptions } from '../../../src/sim/simulated-house.ts'
import { encodeFrame, FrameReader, frameOf, KIND, magicPayload, type Frame } from '../../../src/sim/wire/frame.ts'

export const SESSION = 0x5a17

/** A host that sends raw frames, so that it can misbehave. */
export class BareHost {
  readonly clock: ManualClock
  readonly sim: SimulatedHouse
  readonly received: Frame[] = []
  port: SimPort
  acknowledges = true
  #seq = 0

  constructor(options: Partial<SimulatedHouseOptions> = {}) {
    this.clock = new ManualClock(Date.UTC(2027, 2, 3, 11))
    this.sim = new SimulatedHouse({ clock: this.clock, seed: 5, plan: DEMO_PLAN, people: false, ...options })
    this.port = this.open()
  }

  open(): SimPort {
    const port = this.sim.connect()
    const reader = new FrameReader(
      (frame) => this.#onFrame(frame),
      () => {},
    )
    port.onData((bytes) => reader.push(bytes))
    this.port = port
    return port
  }

  reset(session = SESSION, hostId = 1): void {
    this.#seq = 0
    this.send(frameOf(KIND.rst, session, 0, magicPayload(1, 0, 0, 0, hostId)))
    this.pass(20)
  }

  send(frame: Frame): void {
    this.port.write(encodeFrame(frame))
  }

  /** Sends a message in the running session; the default sequence number is the next one. */
  data(payload: readonly number[], { session = SESSION, seq = this.#seq, next = true } = {}): void {
    if (next) this.#seq = (seq + 1) & 0xff
    this.send(frameOf(KIND.data, session, seq, payload))
  }

  pass(ms: number): void {
    this.clock.advance(ms)
  }

  kinds(): number[] {
    return this.received.splice(0).map(({ kind }) => kind)
  }

  payloads(): string[] {
    return this.received
      .splice(0)
      .filter(({ kind }) => kind === KIND.data)
      .map(({ payload }) => payload.toString('hex'))
  }

  #onFrame(frame: Frame): void {
    this.received.push(frame)
    if (frame.kind === KIND.data && this.acknowledges) this.send(frameOf(KIND.ack, frame.session, frame.seq))
  }
}
