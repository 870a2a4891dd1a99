// @module-tag repeated
import { readFileSync } from 'node:fs'
import { connect as connectTo, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as passed } from 'node:timers/promises'
import { describe, expect, it, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { times } from '#support/long.ts'
import { systemClock } from '../lib/clock.ts'
import { runLine, VERBS, runSimulator } from './simulator.ts'
import { parseFaults } from './line/faults.ts'
import { DEMO_PLAN } from '../demo/demo-plan.ts'
import { generateHouse } from '../demo/generate-house.ts'
import { SimulatedHouse, ScaledClock, type SimulatedHouseOptions } from './simulated-house.ts'
import { encodeFrame, FrameReader, frameOf, KIND, magicPayload, type Frame } from './wire/frame.ts'

const MORNING = Date.UTC(2027, 0, 13, 5)
const rst = encodeFrame(frameOf(KIND.rst, 9, 0, magicPayload(1, 0, 0, 0, 1)))

const HOURS = times(0.25, 4)

/** Runs a house for some hours with a passive host, and returns all its bytes. */
function bytesOf(options: Partial<SimulatedHouseOptions>, hours: number): string {
  const clock = new ManualClock(MORNING)
  const sim = new SimulatedHouse({ clock, seed: 1, plan: DEMO_PLAN, ...options })
  const port = sim.connect()
  const received: Buffer[] = []
  const reader = new FrameReader(
    (frame) => {
      if (frame.kind === KIND.data) port.write(encodeFrame(frameOf(KIND.ack, 9, frame.seq)))
      if (frame.kind === KIND.error) port.write(rst)
    },
    () => {},
  )
  port.onData((bytes) => {
    received.push(Buffer.from(bytes))
    reader.push(bytes)
  })
  port.write(rst)
  for (let second = 0; second < hours * 3_600; second += 4) {
    port.write(encodeFrame(frameOf(KIND.ping, 9, 0)))
    clock.advance(4_000)
  }
  sim.stop()
  return Buffer.concat(received).toString('hex')
}

describe('a run', () => {
  it('gives identical bytes for the same seed and clock, and others for another seed', () => {
    const first = bytesOf({}, HOURS)
    expect(first.length).toBeGreaterThan(HOURS * 5_000)
    expect(bytesOf({}, HOURS) === first).toBe(true)
    expect(bytesOf({ seed: 2 }, HOURS) === first).toBe(false)
  })

  test('gives identical bytes with faults on the line', { tags: ['long'] }, () => {
    const faults = { drop: 0.05, corrupt: 0.05, duplicate: 0.05, reorder: 0.05, delay: 0.1, noise: 20 }
    expect(bytesOf({ faults }, HOURS) === bytesOf({ faults }, HOURS)).toBe(true)
  })
})

describe('a day in the demo house', () => {
  function day(): SimulatedHouse & { readonly kinds: Map<string, number> } {
    const clock = new ManualClock(Date.UTC(2027, 0, 13, 0))
    const sim = new SimulatedHouse({ clock, seed: 3, plan: DEMO_PLAN })
    const kinds = new Map<string, number>()
    sim.house.onReport((_unit, report) => {
      const kind = report.kind === 'state_changed' ? `state ${report.trigger}` : report.kind
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    })
    clock.advance(24 * 3_600_000)
    return Object.assign(sim, { kinds })
  }

  test(
    'has touches, motion, own timers, own schedules, climate, doors and power, as with a family',
    { tags: ['long'] },
    () => {
      const { kinds } = day()
      expect([...kinds.keys()].toSorted()).toEqual([
        'detection',
        'energy',
        'readings',
        'state motion',
        'state own_schedule',
        'state own_timer',
        'state touch',
        'touch',
      ])
      const count = (kind: string): number => kinds.get(kind) ?? 0
      expect(count('state touch')).toBeGreaterThan(20)
      expect(count('state touch')).toBeLessThan(400)
      expect(count('state motion')).toBeGreaterThan(5)
      expect(count('state own_schedule')).toBeGreaterThan(2)
      expect(count('readings')).toBeGreaterThan(500)
      expect(count('readings')).toBeLessThan(20_000)
    },
  )
})

describe('time', () => {
  it('runs faster for the house alone on request', () => {
    const clock = new ManualClock(MORNING)
    const sim = new SimulatedHouse({ clock, seed: 1, plan: DEMO_PLAN, speed: 60, people: false })
    sim.touch(53, null, 'down', { heldMs: 60_000 })
    clock.advance(500)
    expect(sim.house.unit(53)?.states()).toMatchObject([{ state: { pos: 0 } }])
    sim.stop()
    const scaled = new ScaledClock(clock, 10)
    const [wall, mono] = [scaled.now(), scaled.monotonic()]
    let ran = false
    scaled.after(1_000, () => {
      ran = true
    })
    clock.advance(100)
    expect([scaled.now() - wall, scaled.monotonic() - mono, ran]).toEqual([1_000, 1_000, true])
  })

  it('costs one clock timer each for house and line, at any size', () => {
    const clock = new ManualClock(MORNING)
    const sim = new SimulatedHouse({ clock, seed: 1, plan: generateHouse(500, 1).plan })
    sim.connect()
    clock.advance(600_000)
    expect(clock.waiting).toBeLessThanOrEqual(2)
    sim.stop()
  })
})

describe('the console', () => {
  const sim = (): SimulatedHouse =>
    new SimulatedHouse({ clock: new ManualClock(MORNING), seed: 1, plan: DEMO_PLAN, people: false })

  it('executes a line, and explains one that it does not understand', () => {
    const house = sim()
    expect(runLine(house, 'touch 21 up')).toBeNull()
    expect(runLine(house, 'show 21')).toContain('"on":true')
    expect(runLine(house, 'touch 31:0')).toBeNull()
    expect(runLine(house, 'mains cut 21 22')).toBeNull()
    expect(house.house.unit(22)?.answers).toBe(false)
    expect(runLine(house, 'mains return')).toBeNull()
    expect(runLine(house, 'silent 21')).toBeNull()
    expect(house.house.unit(21)?.answers).toBe(false)
    expect(runLine(house, 'silent 21 off')).toBeNull()
    expect(runLine(house, 'unplug')).toBeNull()
    expect(house.plugged).toBe(false)
    expect(runLine(house, 'plug')).toBeNull()
    expect(runLine(house, '')).toBeNull()
    expect(runLine(house, 'dance')).toContain('There is no dance')
    expect(runLine(house, 'silent 999')).toContain('no unit 999')
    expect(runLine(house, 'radio sideways')).toContain('radio up|down|jammed|clear')
    expect(JSON.parse(runLine(house, 'counters') ?? '')).toMatchObject({ commands: 0 })
  })

  it('lists all its commands', () => {
    expect(runLine(sim(), 'help')?.split('\n')).toHaveLength(Object.keys(VERBS).length)
  })

  it('reads faults, and names those that it does not understand', () => {
    expect(parseFaults('drop=0.1, delay=0.2:20-200,noise=50')).toEqual({
      drop: 0.1,
      delay: 0.2,
      delayMs: [20, 200],
      noise: 50,
    })
    expect(() => parseFaults('drop=2')).toThrow('drop takes a number from 0 to 1')
    expect(() => parseFaults('melt=1')).toThrow('There is no fault melt')
  })
})

describe('the simulator as a process', () => {
  const meet = async (
    port: number,
  ): Promise<{ socket: Socket; next: () => Promise<Frame>; ended: Promise<unknown> }> => {
    const socket = connectTo(port, '127.0.0.1')
    const frames: Frame[] = []
    const reader = new FrameReader(
      (frame) => frames.push(frame),
      () => {},
    )
    socket.on('data', (bytes) => reader.push(bytes))
    const ended = new Promise((resolve) => {
      socket.on('close', resolve)
    })
    await new Promise((resolve) => {
      socket.on('connect', resolve)
    })
    const next = async (): Promise<Frame> => {
      while (frames.length === 0) await passed(1)
      return frames.shift() ?? frameOf(KIND.ack, 0, 0)
    }
    return { socket, next, ended }
  }

  it('serves one client after the other over TCP, executes lines, and releases its port', async () => {
    const lines = new Readable({ read: () => {} })
    const printed: string[] = []
    const simulator = await runSimulator({
      clock: systemClock,
      tcp: 0,
      seed: 1,
      plan: generateHouse(40, 1).plan,
      faults: 'noise=0',
      silent: [5],
      people: false,
      input: lines,
      print: (line) => printed.push(line),
    })
    expect(printed[0]).toContain(`40 units speaks HMHC on tcp://127.0.0.1:${simulator.port}`)
    expect(simulator.house.house.unit(5)?.answers).toBe(false)
    const first = await meet(simulator.port)
    first.socket.write(rst)
    expect(await first.next()).toMatchObject({ kind: KIND.rstack, session: 9 })
    const second = await meet(simulator.port)
    await first.ended
    second.socket.write(rst.subarray(0, 5))
    second.socket.write(rst.subarray(5))
    expect(await second.next()).toMatchObject({ kind: KIND.rstack })
    lines.push('unplug\n')
    await second.ended
    const third = await meet(simulator.port)
    await third.ended
    await simulator.stop()
    await expect(
      runSimulator({ clock: systemClock, tcp: 0, seed: 1, plan: DEMO_PLAN, faults: 'melt=1', print: () => {} }),
    ).rejects.toThrow('no fault melt')
  })
})

describe("the simulator's page", () => {
  it('lists every command of the console, in the same words', () => {
    const page = readFileSync(new URL('../../docs/simulator.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z]+)(?: [^`]*)?` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(expect.arrayContaining(Object.keys(VERBS)))
  })
})
