import { type Port, PortListeners } from '../hmhc/port/port.ts'
import { fail, ok } from '../lib/result.ts'
import type { SimulatedHouse } from '../sim/simulated-house.ts'
import type { SimPort } from '../sim/line/sim-port.ts'

/** The line to the simulated house inside this process; it carries the same bytes as a serial or TCP line. */
export class SimulatedLine implements Port {
  readonly #house: SimulatedHouse
  readonly #listeners = new PortListeners()
  #line: SimPort | null = null

  constructor(house: SimulatedHouse) {
    this.#house = house
  }

  open(): ReturnType<Port['open']> {
    if (!this.#house.plugged) return Promise.resolve(fail('the simulated adapter is unplugged'))
    const line = this.#house.connect()
    this.#line = line
    line.onData((bytes) => this.#listeners.data(bytes))
    line.onClose(() => this.#listeners.down('the simulated adapter was unplugged'))
    return Promise.resolve(ok(null))
  }

  write(bytes: Uint8Array): void {
    this.#line?.write(bytes)
  }

  close(): void {
    this.#listeners.end()
    this.#line?.close()
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#listeners.addData(listener)
  }

  onDown(listener: (reason: string) => void): void {
    this.#listeners.addDown(listener)
  }
}
