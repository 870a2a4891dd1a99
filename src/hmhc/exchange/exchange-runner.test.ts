// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import type { Result } from '../../lib/result.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { MockAdapter } from '#support/bus/mock-adapter.ts'
import { FrameSplitter } from '../frame/frame.ts'
import { decodeRequest, type Reply, type ReplyOf, type Request } from '../message/messages.ts'
import { LinkCounters, SENDS_MAX } from './link.ts'
import type { ExchangeFailure } from './exchange.ts'
import { ExchangeRunner } from './exchange-runner.ts'
import { times } from '#support/long.ts'

/** Counting bytes: sessions and back-off differ from draw to draw, and runs are repeatable. */
function countingRandom(): Random {
  let next = 0x1234
  return {
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => (next = (next * 5 + 41) & 0xff))),
    uuid: () => '00000000-0000-4000-8000-000000000000',
  }
}

type Answer = Result<ReplyOf<'control'>, ExchangeFailure>
interface Rig {
  readonly clock: ManualClock
  readonly adapter: MockAdapter
  readonly runner: ExchangeRunner
  readonly counters: LinkCounters
  readonly downs: string[]
  /** Number of host writes per request id. */
  readonly writes: Map<number, number>
}

/** Every unit confirms the requested brightness, so that swapped replies are visible. */
const obedient = (message: Request): Reply | undefined =>
  message.name !== 'control' || message.command.op !== 'set_brightness'
    ? undefined
    : {
        name: 'control',
        result: 'done',
        class: 'light_dimmer',
        state: { on: true, bri: message.command.args.bri, mode: 'auto' },
      }

function rig(): Rig {
  const clock = new ManualClock()
  const adapter = new MockAdapter(clock)
  adapter.answer = obedient
  const counters = new LinkCounters()
  const downs: string[] = []
  const writes = new Map<number, number>()
  const splitter = new FrameSplitter()
  const openPort = (): ReturnType<MockAdapter['openPort']> => {
    const port = adapter.openPort()
    return {
      ...port,
      write: (bytes) => {
        for (const found of splitter.push(bytes)) {
          const request = 'frame' in found && found.frame.kind === 'data' ? decodeRequest(found.frame.payload) : null
          if (request?.ok === true) writes.set(request.value.request, (writes.get(request.value.request) ?? 0) + 1)
        }
        port.write(bytes)
      },
    }
  }
  const runner = new ExchangeRunner(
    {
      openPort,
      clock,
      random: countingRandom(),
      log: silentLog,
      counters,
      airTime: { perSecond: 2, burst: 3 },
      isDoubtful: (address) => address > 900,
    },
    { onReady: () => downs.push('ready'), onDown: (why) => downs.push(why), onReport: () => {}, onReply: () => {} },
  )
  return { clock, adapter, runner, counters, downs, writes }
}

async function connectRig(): Promise<Rig> {
  const made = rig()
  made.runner.start()
  await made.clock.advanceAsync(5)
  return made
}

const dim = (
  { runner }: Rig,
  address: number,
  bri: number,
  priority: 'person' | 'automation' | 'background' = 'person',
): Promise<Answer> =>
  runner.send<'control'>(
    { name: 'control', address, gang: null, command: { op: 'set_brightness', args: { bri } } },
    { priority },
  )
const addresses = ({ adapter }: Rig): number[] =>
  adapter.executed.flatMap(({ message }) => (message.name === 'control' ? [message.address] : []))

describe('an exchange on a bad line', () => {
  const fate = fc.oneof(
    { arbitrary: fc.constant(0), weight: 6 },
    { arbitrary: fc.constantFrom(-1, -2), weight: 2 },
    { arbitrary: fc.integer({ min: 1, max: 600 }), weight: 2 },
  )
  const rare = fc.constantFrom('restart' as const, 'drop session' as const, 'unplug' as const, 'report' as const)
  const event = fc.oneof({ arbitrary: fc.constant('ask' as const), weight: 8 }, rare)
  const fates = fc.array(fate, { minLength: 60, maxLength: 60 })
  const events = fc.array(fc.tuple(event, fc.nat({ max: 300 })), { minLength: 1, maxLength: 15 })

  it('is executed at most once, gets its own reply, is sent at most three times, and settles', async () => {
    const runs = times(100, 20_000)
    let answered = 0
    let failed = 0
    await fc.assert(
      fc.asyncProperty(fates, events, async (fates, events) => {
        const it = await connectRig()
        const { clock, adapter } = it
        let turn = 0
        // -1 loses a frame, -2 duplicates it, more than 0 delays it by milliseconds, perhaps past others.
        const faulty = (bytes: Uint8Array, arrive: (bytes: Uint8Array) => void): void => {
          const what = fates[turn++ % fates.length] ?? 0
          if (what === -1) return
          if (what > 0) return void clock.after(what, () => arrive(bytes))
          arrive(bytes)
          if (what === -2) arrive(bytes)
        }
        adapter.toAdapter = faulty
        adapter.toHost = faulty
        const answers: Promise<void>[] = []
        let commands = 0
        for (const [what, pause] of events) {
          if (what === 'restart') adapter.restart()
          if (what === 'drop session') adapter.dropSession()
          if (what === 'unplug') adapter.unplug()
          if (what === 'report') adapter.report({ name: 'detection', address: 17, detection: 'motion', value: true })
          if (what === 'ask') {
            const bri = commands++
            // Two units alternate, so that requests for one wait for each other.
            answers.push(
              dim(it, 17 + (bri % 2), bri).then((answer) => {
                if (answer.ok) expect(answer.value).toMatchObject({ result: 'done', state: { bri } })
                if (answer.ok) answered += 1
                else failed += 1
              }),
            )
          }
          clock.advance(pause)
          adapter.plugged = true
        }
        clock.advance(20_000)
        await Promise.all(answers)
        // Compared by content, not id: a request that arrives under two ids would be executed twice.
        const carriedOut = adapter.executed.flatMap(({ message }) =>
          message.name === 'control' && message.command.op === 'set_brightness' ? [message.command.args.bri] : [],
        )
        expect(new Set(carriedOut).size).toBe(carriedOut.length)
        expect(Math.max(0, ...it.writes.values())).toBeLessThanOrEqual(SENDS_MAX)
        it.runner.stop()
      }),
      { numRuns: runs },
    )
    // The faults have effects, and most requests survive them.
    expect(failed).toBeGreaterThan(runs / 20)
    expect(answered).toBeGreaterThan(failed)
  })

  it('survives the loss of two sends: the third arrives', async () => {
    const it = await connectRig()
    let lost = 0
    it.adapter.toAdapter = (bytes, arrive) => (lost++ < 2 ? undefined : arrive(bytes))
    const answer = dim(it, 17, 50)
    await it.clock.advanceAsync(600)
    expect(await answer).toMatchObject({ ok: true })
    expect(it.counters.all()).toMatchObject({ ackTimeouts: 2, retries: 2, sessionsLost: 0 })
  })
})

describe('the order of exchanges', () => {
  it('is person, automation, background, while one place stays free of background', async () => {
    const it = await connectRig()
    it.adapter.inFlightMax = 1
    it.adapter.dropSession()
    await it.clock.advanceAsync(5)
    it.adapter.answer = (message) => (message.name === 'control' && message.address === 1 ? null : obedient(message))
    void dim(it, 1, 0)
    for (const [address, priority] of [
      [2, 'background'],
      [3, 'automation'],
      [4, 'person'],
      [5, 'person'],
    ] as const)
      void dim(it, address, 0, priority)
    await it.clock.advanceAsync(4_500)
    expect(addresses(it)).toEqual([1, 4, 5, 3, 2])
  })

  it('gives background requests a budget, and none while the radio is in trouble', async () => {
    const it = await connectRig()
    for (let address = 1; address <= 10; address++) void dim(it, address, 0, 'background')
    await it.clock.advanceAsync(10)
    expect(addresses(it)).toHaveLength(3)
    await it.clock.advanceAsync(1_000)
    expect(addresses(it)).toHaveLength(5)
    it.runner.pauseBackground(10_000)
    await it.clock.advanceAsync(9_900)
    expect(addresses(it)).toHaveLength(5)
    await it.clock.advanceAsync(300)
    expect(addresses(it)).toHaveLength(6)
  })

  it('never lets recently silent units occupy every place', async () => {
    const it = await connectRig()
    it.adapter.answer = (message) => (message.name === 'control' && message.address > 900 ? null : obedient(message))
    for (let address = 901; address < 920; address++) void dim(it, address, 0)
    const answer = dim(it, 5, 7)
    await it.clock.advanceAsync(10)
    expect(await answer).toMatchObject({ ok: true })
    expect(addresses(it)).toEqual([901, 902, 5])
  })

  it("sends one group per asker at a time, so that a single command waits for one group's air time", async () => {
    const it = await connectRig()
    it.adapter.answer = (message) => (message.name === 'group_control' ? null : obedient(message))
    const group = (first: number, asker: string): void => {
      const members = [first, first + 1].map((address) => ({ address, gang: null, command: { op: 'open' as const } }))
      void it.runner.send<'group_control'>({ name: 'group_control', members }, { priority: 'person', asker })
    }
    for (const [first, asker] of [
      [1, 'a'],
      [3, 'a'],
      [5, 'b'],
    ] as const)
      group(first, asker)
    await it.clock.advanceAsync(10)
    const sent = it.adapter.executed.flatMap(({ message }) =>
      message.name === 'group_control' ? [message.members[0]?.address] : [],
    )
    expect(sent).toEqual([1, 5])
    expect(await dim(it, 9, 7)).toMatchObject({ ok: true })
  })

  it('refuses requests beyond its bounds, and drops those that wait too long', async () => {
    const it = await connectRig()
    it.adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const answers = Array.from({ length: 600 }, () => dim(it, 17, 0))
    expect(await answers.at(-1)).toEqual({ ok: false, error: 'queue_full' })
    await it.clock.advanceAsync(10_000)
    expect(await answers[0]).toEqual({ ok: false, error: 'no_reply' })
    expect(await answers[500]).toEqual({ ok: false, error: 'waited_too_long' })
    expect(it.runner.waiting).toBe(0)
  })
})

describe('a link that is down', () => {
  it('fails everything at once, and reports it once', async () => {
    const it = await connectRig()
    it.adapter.answer = (message) => (message.name === 'control' ? null : undefined)
    const waiting = [dim(it, 17, 1), dim(it, 17, 2)]
    it.adapter.unplug()
    expect(await Promise.all(waiting)).toEqual([
      { ok: false, error: 'link_lost' },
      { ok: false, error: 'link_down' },
    ])
    expect(await dim(it, 17, 3)).toEqual({ ok: false, error: 'link_down' })
    await it.clock.advanceAsync(60_000)
    expect(it.downs).toEqual(['ready', 'port'])
    it.runner.stop()
    expect(it.clock.waiting).toBe(0)
  })

  it('is closed and tried again if the adapter sends only garbage', async () => {
    const it = await connectRig()
    it.adapter.answer = (message) =>
      message.name === 'hello' ? { name: 'hello', result: 'busy', retryMs: 5 } : obedient(message)
    it.adapter.dropSession()
    await it.clock.advanceAsync(2_000)
    expect(it.downs).toEqual(['ready', 'silent'])
    it.adapter.answer = obedient
    await it.clock.advanceAsync(1_000)
    expect(it.downs).toEqual(['ready', 'silent', 'ready'])
    expect(await dim(it, 17, 9)).toMatchObject({ ok: true })
  })

  it('ignores a reply to another request', async () => {
    const it = await connectRig()
    it.adapter.answer = (message) => (message.name === 'control' ? { name: 'ping', result: 'done' } : undefined)
    expect(await dim(it, 17, 1)).toEqual({ ok: false, error: 'unsound_reply' })
  })
})
