import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Port } from '../../../src/hmhc/port/port.ts'
import type { HmhcBus } from '../../../src/hmhc/unit/hmhc-bus.ts'
import type { BusReport, UnitTarget } from '../../../src/home/ports/unit-bus.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import type { SimulatedHouse } from '../../../src/sim/simulated-house.ts'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'
import { testBus } from '#support/bus/hmhc-bus.ts'

const nameOf = ({ address, gang }: UnitTarget): string => (gang === null ? `${address}` : `${address}:${gang}`)
const text = (state: object): string => JSON.stringify(Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1)))

/** A gateway's bus in front of a simulated house, with a cache that only reports fill, as in the home. */
export class SimulatedBus {
  readonly bus: HmhcBus
  readonly reports: BusReport[] = []
  readonly known = new Map<string, string>()

  constructor(openPort: () => Port, clock: Clock, seed = 'bus') {
    this.bus = testBus({ openPort, clock, random: new SeededRandom(seed) })
    this.bus.onReport((report) => {
      this.reports.push(report)
      if (report.kind === 'state') this.learn(report.target, report.state)
    })
  }

  /** Caches a confirmed state, as the home does with the response to a control request. */
  learn(target: UnitTarget, state: object): void {
    this.known.set(nameOf(target), text(state))
  }

  /** Devices whose cached state differs from the house; sensors and meters have readings instead. */
  wrong({ house }: SimulatedHouse): string[] {
    return house.units.flatMap((unit) =>
      unit.states().flatMap(({ gang, state: { class: name, ...state } }) => {
        if (name === 'sensor' || name === 'meter') return []
        const device = nameOf({ address: unit.address, gang })
        return this.known.get(device) === text(state)
          ? []
          : [`${device} is ${text(state)}, known as ${this.known.get(device) ?? 'nothing'}`]
      }),
    )
  }

  /** Resolves to the first matching report, past or future. */
  async until(fits: (report: BusReport) => boolean): Promise<BusReport> {
    const past = this.reports.find(fits)
    if (past !== undefined) return past
    return new Promise((resolve) => {
      const stop = this.bus.onReport((report) => {
        if (!fits(report)) return
        stop()
        resolve(report)
      })
    })
  }
}

/** Serves a simulated house on a TCP port of the loopback interface. */
export class HouseServer {
  readonly #house: SimulatedHouse
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer({ noDelay: true }, (socket) => this.#serve(socket))
  port = 0

  constructor(house: SimulatedHouse) {
    this.#house = house
  }

  /** Listens on the previous port, if there was one. */
  async start(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    const line = this.#house.connect()
    socket.on('error', () => {})
    socket.on('data', (bytes) => line.write(bytes))
    socket.on('close', () => {
      this.#sockets.delete(socket)
      line.close()
    })
    line.onData((bytes) => socket.write(bytes))
    line.onClose(() => socket.destroy())
  }
}
