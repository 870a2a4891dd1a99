import { describe, expect, it } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { SeededRandom } from '../../sim/model/seeded-random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { PortListeners, type Port, PortLoop } from './port.ts'

/** A line that opens, fails, hangs and closes on command. */
class FakeLine {
  opening: 'works' | 'fails' | 'hangs' | 'throws' = 'works'
  readonly made: {
    readonly listeners: PortListeners
    readonly written: Uint8Array[]
    opens: number
    closed: number
    readonly at: number
  }[] = []
  readonly clock = new ManualClock()
  readonly reported: string[] = []
  readonly data: number[] = []
  readonly loop: PortLoop

  constructor(random: Random) {
    this.loop = new PortLoop({
      openPort: () => this.#make(),
      clock: this.clock,
      random,
      log: silentLog,
      onUp: () => this.reported.push('up'),
      onDown: (reason) => this.reported.push(reason),
      onData: (bytes) => this.data.push(...bytes),
    })
  }

  get last(): FakeLine['made'][number] {
    const last = this.made.at(-1)
    if (last === undefined) throw new Error('no port was made')
    return last
  }

  #make(): Port {
    const one = {
      listeners: new PortListeners(),
      written: [] as Uint8Array[],
      opens: 0,
      closed: 0,
      at: this.clock.monotonic(),
    }
    this.made.push(one)
    return {
      open: () => {
        one.opens += 1
        return this.#open()
      },
      write: (bytes) => one.written.push(bytes),
      close: () => {
        one.closed += 1
        one.listeners.end()
      },
      listeners: one.listeners,
    }
  }

  #open(): Promise<Result<null, string>> {
    switch (this.opening) {
      case 'works':
        return Promise.resolve(ok(null))
      case 'fails':
        return Promise.resolve(fail('ENOENT'))
      case 'hangs':
        return new Promise(() => {})
      case 'throws':
        return Promise.reject(new Error('thrown'))
    }
  }
}

async function startedWith(random: Random, opening: FakeLine['opening'] = 'works'): Promise<FakeLine> {
  const line = new FakeLine(random)
  line.opening = opening
  line.loop.start()
  await line.clock.advanceAsync(0)
  return line
}

const always = (byte: number): Random => ({ bytes: (count) => Buffer.alloc(count, byte), uuid: () => '' })

describe.each<[string, Random]>([
  ['at its shortest', always(0)],
  ['at its longest', always(255)],
  ['as drawn', new SeededRandom('port loop')],
])('the port loop, jitter %s', (_, random) => {
  const started = (opening?: FakeLine['opening']): Promise<FakeLine> => startedWith(random, opening)

  it('reports the time until the next attempt, only while it waits for one', async () => {
    const line = await started('fails')
    const wait = line.loop.retryMs
    expect(wait).toBeGreaterThan(0)
    await line.clock.advanceAsync((wait ?? 0) - 1)
    expect([line.made.length, line.loop.retryMs]).toEqual([1, 1])
    line.opening = 'works'
    await line.clock.advanceAsync(1)
    expect([line.made.length, line.loop.retryMs]).toEqual([2, null])
    line.loop.reopen('dead')
    expect(line.loop.retryMs).toBeGreaterThan(0)
    line.loop.stop()
    expect(line.loop.retryMs).toBeNull()
  })

  it('opens, carries bytes both ways, and closes when stopped', async () => {
    const line = await started()
    expect(line.reported).toEqual(['up'])
    line.loop.write(Uint8Array.of(1))
    line.last.listeners.data(Uint8Array.of(2))
    expect([line.last.written, line.data]).toEqual([[Uint8Array.of(1)], [2]])
    line.loop.stop()
    expect(line.last.closed).toBe(1)
    expect(line.clock.waiting).toBe(0)
  })

  it('reports a loss once, closes the port, and opens a new one', async () => {
    const line = await started()
    line.loop.settled()
    const first = line.last
    first.listeners.down('unplugged')
    first.listeners.down('again')
    first.listeners.data(Uint8Array.of(9))
    expect(line.reported).toEqual(['up', 'unplugged'])
    await line.clock.advanceAsync(300)
    expect(line.reported).toEqual(['up', 'unplugged', 'up'])
    expect(line.made.map(({ opens }) => opens)).toEqual([1, 1])
    expect(first.closed).toBe(1)
    expect(line.data).toEqual([])
    line.loop.stop()
  })

  it('tries quickly at first, then about every second and a half for minutes, then at most every half minute, for ever', async () => {
    const line = await started('fails')
    await line.clock.advanceAsync(2_000)
    expect(line.made.length).toBeGreaterThanOrEqual(4)
    await line.clock.advanceAsync(3_600_000)
    const gaps = line.made.slice(1).map((one, index) => [one.at, one.at - (line.made[index]?.at ?? 0)] as const)
    for (const [at, gap] of gaps) expect(Math.round(gap)).toBeLessThanOrEqual(at < 5 * 60_000 ? 1_500 : 30_000)
    expect(Math.min(...gaps.filter(([at]) => at > 15 * 60_000).map(([, gap]) => gap))).toBeGreaterThan(5_000)
    expect(gaps.at(-1)?.[0]).toBeGreaterThan(3_500_000)
    line.loop.stop()
  })

  it('recovers within 3 s of a replug, minutes later', async () => {
    const line = await started('fails')
    await line.clock.advanceAsync(4 * 60_000)
    line.opening = 'works'
    await line.clock.advanceAsync(3_000)
    expect(line.reported.at(-1)).toBe('up')
    line.loop.stop()
  })

  it('abandons an attempt that hangs or throws, and tries again', async () => {
    const line = await started('hangs')
    expect(line.reported).toEqual([])
    line.opening = 'throws'
    await line.clock.advanceAsync(5_000)
    expect(line.reported).toEqual(['opening takes too long'])
    expect(line.last.closed).toBe(1)
    await line.clock.advanceAsync(300)
    // Two quick attempts fit into this time if they are short.
    const [first, ...later] = line.reported
    expect([first, new Set(later)]).toEqual(['opening takes too long', new Set(['thrown'])])
    line.loop.stop()
  })

  it('closes a port that opens after its attempt was abandoned', async () => {
    const line = new FakeLine(random)
    line.loop.start()
    line.loop.stop()
    await line.clock.advanceAsync(0)
    expect(line.reported).toEqual([])
    expect(line.last.closed).toBeGreaterThan(0)
  })

  it('closes a dead line on request, and opens a new one', async () => {
    const line = await started()
    line.loop.reopen('the adapter does not answer')
    expect(line.reported).toEqual(['up', 'the adapter does not answer'])
    await line.clock.advanceAsync(300)
    expect(line.loop.opened).toBe(2)
    line.loop.stop()
  })
})

it('is jittered: gateways do not try in step', async () => {
  const gapsOf = async (seed: string): Promise<number[]> => {
    const line = await startedWith(new SeededRandom(seed), 'fails')
    await line.clock.advanceAsync(3_600_000)
    line.loop.stop()
    return line.made.slice(1).map((one, index) => one.at - (line.made[index]?.at ?? 0))
  }
  const one = await gapsOf('one')
  const other = new Set(await gapsOf('other'))
  expect(new Set(one).size).toBeGreaterThan(one.length / 2)
  expect(one.filter((gap) => other.has(gap)).length).toBeLessThan(one.length / 10)
})
