import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SerialLine } from '../../src/hmhc/port/serial-port.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import { HouseServer, SimulatedBus } from '#support/bus/simulated-bus.ts'
import { tempFolder } from '#support/temp-folder.ts'

const LAMP = { address: 21, gang: null }
const bri = (level: number) => ({ op: 'set_brightness', args: { bri: level } }) as const
const hasSocat = spawnSync('socat', ['-V']).status === 0

async function kill(process: ChildProcess): Promise<void> {
  if (process.signalCode !== null) return
  const exited = once(process, 'exit')
  process.kill('SIGKILL')
  await exited
}

/** The real serial library, on a pseudo-terminal that socat connects to the simulated adapter. */
test.runIf(hasSocat)(
  'a serial line is lost with its device, which is known at once, and everything recovers 3 s after the device returns',
  { tags: ['long'] },
  async () => {
    const path = join(tempFolder(), 'adapter')
    const house = new SimulatedHouse({ clock: systemClock, seed: 7, plan: DEMO_PLAN, people: false })
    const server = new HouseServer(house)
    await server.start()
    const plug = (): ChildProcess =>
      spawn('socat', [`PTY,link=${path},raw,echo=0`, `TCP:127.0.0.1:${server.port},nodelay`])
    const sim = new SimulatedBus(() => new SerialLine(path), systemClock)
    sim.bus.start()
    let socat = plug()
    try {
      await sim.until((report) => report.kind === 'link' && report.down === null)
      expect(await sim.bus.control(LAMP, bri(44), 'person')).toMatchObject({ ok: true, value: { bri: 44 } })
      for (let turn = 0; turn < 3; turn++) {
        sim.reports.length = 0
        await kill(socat)
        await sim.until((report) => report.kind === 'link' && report.down === 'port')
        expect(await sim.bus.control(LAMP, bri(45), 'person')).toMatchObject({
          ok: false,
          error: { kind: 'unavailable' },
        })
        house.touch(83, null, 'up')
        socat = plug()
        await sim.until(
          (report) => report.kind === 'state' && report.trigger === 'sync' && report.target.address === 83,
        )
        expect(await sim.bus.control(LAMP, bri(50 + turn), 'person')).toMatchObject({
          ok: true,
          value: { bri: 50 + turn },
        })
      }
      expect(sim.bus.counters().linesOpened).toBe(4)
    } finally {
      sim.bus.stop()
      await kill(socat)
      await server.stop()
      house.stop()
    }
  },
)
