// @module-tag long
import { type ChildProcess, spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { SerialLine } from '../../src/hmhc/port/serial-port.ts'
import { TcpPort } from '../../src/hmhc/port/tcp-port.ts'
import { freePort } from '#support/free-port.ts'
import type { RawAnswer, TestSocket } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { plugIn, pullOut, SimProcess } from '#support/bus/sim-process.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { times } from '#support/long.ts'

const hasSocat = spawnSync('socat', ['-V']).status === 0
if (!hasSocat) console.info('socat is not installed: only TCP is tested, not the serial line.')
/** Seconds of noise. */
const NOISE_S = { serial: times(1, 30), tcp: times(1, 30) }

/** Simulated units that a touch can switch, with their addresses. */
const LAMPS = { 'hall-light': 11, 'study-light': 75, 'guest-light': 83 } as const

const control = (home: TestHome, local: string, on: boolean): Promise<RawAnswer> =>
  home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } })

const linkIs = (home: TestHome, up: boolean): Promise<void> =>
  new Promise((resolve) => {
    const { bus, events } = home.running.gateway.home
    if ((bus.down === null) === up) return resolve()
    const stop = events.on((event) => {
      if (event.kind !== 'link' || (event.down === null) !== up) return
      stop()
      resolve()
    })
  })

/** The gateway's states of the lamps, and the real ones. */
async function lamps(home: TestHome, sim: SimProcess): Promise<{ known: unknown; true: unknown }> {
  const { devices } = (await home.get('/v1/state')) as { devices: { id: string; state: { on: boolean } }[] }
  const known = Object.keys(LAMPS).map((local) => [local, devices.find(({ id }) => id === home.id(local))?.state.on])
  const real: unknown[] = []
  for (const [local, address] of Object.entries(LAMPS)) {
    const { states } = JSON.parse(await sim.ask(`show ${address}`)) as { states: { state: { on: boolean } }[] }
    real.push([local, states[0]?.state.on])
  }
  return { known: known, true: real }
}

/** Resolves when the gateway knows the real state of every lamp. */
async function knows(home: TestHome, sim: SimProcess): Promise<void> {
  for (;;) {
    const { known, true: real } = await lamps(home, sim)
    if (JSON.stringify(known) === JSON.stringify(real)) return
    await wait(5)
  }
}

/** A simulator process, a gateway connected to it by a line, and control of its plug. */
class Rig implements AsyncDisposable {
  sim: SimProcess
  readonly home: TestHome
  readonly #path: string | null
  #socat: ChildProcess | null

  private constructor(sim: SimProcess, home: TestHome, path: string | null, socat: ChildProcess | null) {
    this.sim = sim
    this.home = home
    this.#path = path
    this.#socat = socat
  }

  static async over(line: 'serial' | 'tcp'): Promise<Rig> {
    const sim = await SimProcess.start(await freePort())
    const path = line === 'serial' ? join(tempFolder(), 'adapter') : null
    const socat = path === null ? null : plugIn(path, sim.port)
    const running = await TestGateway.open({
      openPort: () => (path === null ? new TcpPort('127.0.0.1', sim.port) : new SerialLine(path)),
      settled: true,
    })
    return new Rig(sim, await TestHome.at('http', running), path, socat)
  }

  /** Unplugs the serial line, or ends the simulator at the other end of TCP. */
  cut(): Promise<void> {
    return this.#socat === null ? this.sim.kill() : pullOut(this.#socat)
  }

  async mend(): Promise<void> {
    if (this.#path === null) this.sim = await SimProcess.start(this.sim.port)
    else this.#socat = plugIn(this.#path, this.sim.port)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]()
    await this.home.running[Symbol.asyncDispose]()
    if (this.#socat !== null) await pullOut(this.#socat)
    await this.sim.kill()
  }
}

const UNAVAILABLE = { status: 503, body: { error: { code: 'hmhc_unavailable' } } }

/** Expects that the stream still answers on the same socket. */
async function expectAlive(socket: TestSocket): Promise<void> {
  expect(JSON.parse(await socket.ask('alive', { id: 'alive', method: 'GET', path: '/v1/integration' }))).toMatchObject({
    status: 200,
  })
}

describe.each(hasSocat ? ([{ line: 'serial' }, { line: 'tcp' }] as const) : ([{ line: 'tcp' }] as const))(
  'over a $line line to a simulator of its own process',
  ({ line }) => {
    test('control works; a cut line is 503 at once and the stream stays up; after its repair everything recovers without a restart', async () => {
      await using rig = await Rig.over(line)
      const { home } = rig
      const socket = await home.socket()
      await socket.subscribe(['state'])
      expect(await control(home, 'hall-light', true)).toMatchObject({ status: 200, body: { state: { on: true } } })
      expect(JSON.parse(await rig.sim.ask('show 11'))).toMatchObject({ states: [{ state: { on: true } }] })

      for (let turn = 0; turn < 2; turn++) {
        const cutAt = performance.now()
        await rig.cut()
        while ((await control(home, 'hall-light', true)).status !== 503) continue
        const refusedMs = performance.now() - cutAt
        expect(await control(home, 'study-light', true)).toMatchObject(UNAVAILABLE)
        await expectAlive(socket)
        // The known states are still served, and touches at the wall still switch.
        expect((await home.get('/v1/state'))['devices']).not.toEqual([])
        if (line === 'serial') rig.sim.tell('touch 83 up')

        const mendedAt = performance.now()
        await rig.mend()
        await linkIs(home, true)
        await knows(home, rig.sim)
        const backMs = performance.now() - mendedAt
        expect(await control(home, 'hall-light', turn === 1)).toMatchObject({
          status: 200,
          body: { state: { on: turn === 1 } },
        })
        await expectAlive(socket)
        console.info(
          `${line}: 503 after ${refusedMs.toFixed(0)} ms, back with the right state ${backMs.toFixed(0)} ms after mending`,
        )
      }
      socket.close()
    })

    test(
      `1,000 random bytes at a time, both ways, for ${NOISE_S[line]} s change no state and stop nothing`,
      { timeout: 120_000 + NOISE_S[line] * 10_000 },
      async () => {
        await using rig = await Rig.over(line)
        const { home, sim } = rig
        const socket = await home.socket()
        await socket.subscribe(['state'])
        const before = await lamps(home, sim)
        expect(before.known).toEqual(before.true)
        for (let turn = 0; turn < NOISE_S[line] * 20; turn++) {
          sim.tell(`noise 1000 ${turn % 2 === 0 ? 'out' : 'in'}`)
          await wait(50)
        }
        // Events after a successful request come from real actions of the units.
        while ((await control(home, 'guest-light', true)).status !== 200) continue
        await linkIs(home, true)
        const after = await lamps(home, sim)
        expect(after.known).toEqual(after.true)
        const others = (pairs: unknown): unknown =>
          (pairs as [string, boolean][]).filter(([local]) => local !== 'guest-light')
        expect(others(after.known)).toEqual(others(before.known))
        await expectAlive(socket)
        expect(
          socket.events.filter((event) =>
            [home.id('hall-light'), home.id('study-light')].includes(String(event['device'])),
          ),
        ).toEqual([])
        socket.close()
      },
    )

    test('a silent unit is 504 and the others work; a radio that is down is 503, and works when it is up', async () => {
      await using rig = await Rig.over(line)
      const { home, sim } = rig
      sim.tell('silent 11')
      await sim.ask('show 11')
      const [silent, other] = await Promise.all([control(home, 'hall-light', true), control(home, 'study-light', true)])
      expect(silent).toMatchObject({ status: 504, body: { error: { code: 'unit_unreachable' } } })
      expect(other).toMatchObject({ status: 200, body: { state: { on: true } } })
      sim.tell('silent 11 off')
      while ((await control(home, 'hall-light', true)).status !== 200) await wait(20)

      sim.tell('radio down')
      await linkIs(home, false)
      expect(await control(home, 'study-light', false)).toMatchObject(UNAVAILABLE)
      expect(await home.get(home.at('study-light'))).toMatchObject({ device: { state: { on: true } } })
      sim.tell('radio up')
      await linkIs(home, true)
      expect(await control(home, 'study-light', false)).toMatchObject({ status: 200, body: { state: { on: false } } })
    })
  },
)
