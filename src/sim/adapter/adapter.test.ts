// @module-tag repeated
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { times } from '#support/long.ts'
import { DEMO_PLAN } from '../../demo/demo-plan.ts'
import type { SimulatedHouseOptions } from '../simulated-house.ts'
import { encodeFrame, frameOf, KIND } from '../wire/frame.ts'
import { BareHost, SESSION } from '#support/bus/bare-host.ts'

const LAMP = 21

let host: BareHost
beforeEach(() => {
  host = new BareHost()
})

/** Replaces the usual house for one test. */
function otherHouse(options: Partial<SimulatedHouseOptions>): void {
  host.sim.stop()
  host = new BareHost(options)
}
afterEach(() => host.sim.stop())

const ping = (request: number): number[] => [0x05, 0, request, 0, LAMP]
const setBri = (request: number, bri: number, address = LAMP): number[] => [
  0x10,
  0,
  request,
  0,
  address,
  0xff,
  0x02,
  bri,
]

describe('the link', () => {
  it('answers a reset, and repeats that until data was received; a late duplicate of it is ignored', () => {
    host.reset()
    host.reset()
    expect(host.kinds()).toEqual([KIND.rstack, KIND.rstack])
    host.data([0x01, 0, 1])
    host.pass(50)
    host.kinds()
    host.reset()
    expect(host.kinds()).toEqual([])
    host.data(ping(2), { seq: 1 })
    host.pass(50)
    expect(host.kinds()).toContain(KIND.data)
  })

  it('reports a missing session, at most every 100 ms', () => {
    for (let sent = 0; sent < 5; sent++) host.data(ping(1))
    host.send(frameOf(KIND.ping, SESSION, 0))
    host.send(frameOf(KIND.ack, SESSION, 0))
    host.pass(50)
    expect(host.received.map(({ kind, payload }) => [kind, payload[4]])).toEqual([[KIND.error, 2]])
  })

  it('delivers each message once, acknowledges a duplicate again, and names the expected sequence number', () => {
    host.reset()
    host.kinds()
    host.data(setBri(1, 10))
    host.data(setBri(1, 10), { seq: 0, next: false })
    host.data(setBri(2, 20), { seq: 9, next: false })
    host.pass(100)
    const [first, again, nak] = host.received
    expect([first?.kind, again?.kind, nak?.kind, nak?.seq, nak?.payload[0]]).toEqual([
      KIND.ack,
      KIND.ack,
      KIND.nak,
      1,
      2,
    ])
    expect(host.sim.counters).toMatchObject({ commands: 1, duplicates: 1 })
  })

  it('sends three times without an ACK, then ends the session', () => {
    host.reset()
    host.kinds()
    host.acknowledges = false
    host.sim.touch(LAMP, null, 'up')
    host.pass(900)
    expect(host.kinds()).toEqual([KIND.data, KIND.data, KIND.data, KIND.error])
    expect(host.sim.counters.retransmissions).toBe(2)
  })

  it('repeats at once on a NAK for the outstanding frame, and on no other', () => {
    host.reset()
    host.acknowledges = false
    host.sim.touch(LAMP, null, 'up')
    host.pass(50)
    host.kinds()
    host.send(frameOf(KIND.nak, SESSION, 7, [2]))
    host.pass(10)
    expect(host.kinds()).toEqual([])
    host.send(frameOf(KIND.nak, SESSION, 0, [1]))
    host.pass(10)
    expect(host.kinds()).toEqual([KIND.data])
  })

  it('ends a session whose host is silent for 5 seconds, and answers a PING until then', () => {
    // Units without sensors report nothing unasked.
    otherHouse({
      plan: { ...DEMO_PLAN, units: DEMO_PLAN.units.filter(({ model }) => model === 'HMLK' || model === 'HMCU') },
    })
    host.reset()
    host.pass(4_900)
    host.send(frameOf(KIND.ping, SESSION, 41))
    host.pass(10)
    expect(host.received.at(-1)).toMatchObject({ kind: KIND.pong, seq: 41 })
    host.pass(5_100)
    expect(host.kinds()).toEqual([KIND.rstack, KIND.pong, KIND.error])
    host.sim.touch(13, null, 'up')
    host.pass(200)
    expect(host.kinds()).toEqual([])
    expect(host.sim.counters.reportsDropped).toBeGreaterThan(0)
  })

  it('gives the line to the newest connection', () => {
    let lost = 0
    host.port.onClose(() => {
      lost++
    })
    host.open()
    host.reset()
    expect([lost, host.kinds()]).toEqual([1, [KIND.rstack]])
  })
})

describe('requests', () => {
  beforeEach(() => {
    host.reset()
    host.kinds()
  })

  it('run once, whatever session repeats them, and get the same reply', () => {
    host.data(setBri(7, 30))
    host.pass(100)
    const [reply] = host.payloads()
    host.data(setBri(7, 30))
    host.pass(100)
    host.reset(0x1234)
    host.data(setBri(7, 30), { session: 0x1234 })
    host.pass(100)
    expect(host.payloads()).toEqual([reply, reply])
    expect(host.sim.counters).toMatchObject({ commands: 1, repeated: 2 })
  })

  it('that are pending when their session breaks are answered in the next one that repeats them', () => {
    host.data(setBri(7, 30))
    host.reset(0x1234)
    host.data(setBri(7, 30), { session: 0x1234 })
    host.pass(200)
    expect(host.payloads()).toHaveLength(1)
    expect(host.sim.counters.commands).toBe(1)
  })

  it.each([
    ['another host', (): void => host.reset(0x1234, 2)],
    [
      '30 seconds',
      (): void => {
        for (let second = 0; second < 31; second++) {
          host.send(frameOf(KIND.ping, SESSION, 0))
          host.pass(1_000)
        }
        host.reset(0x1234)
      },
    ],
  ])('are forgotten after %s', (_, forget) => {
    host.data(setBri(7, 30))
    host.pass(100)
    forget()
    host.data(setBri(7, 40), { session: 0x1234 })
    host.pass(100)
    expect(host.sim.counters.commands).toBe(2)
  })

  it('that wait beyond the limit get the result busy', () => {
    for (let request = 0; request < 6; request++)
      host.data([0x11, 0, request, 0, [11, 21, 22, 23, 24, 25][request] ?? 0])
    host.pass(500)
    const results = host.payloads().map((payload) => payload.slice(6, 8))
    expect(results.filter((result) => result === '04')).toHaveLength(2)
    expect(results.filter((result) => result === '00')).toHaveLength(4)
  })

  it('over the duty budget get the result busy, and the host gets one report of the limit', () => {
    otherHouse({ duty: 0.000_01 })
    host.reset()
    host.kinds()
    for (let request = 1; request < 20; request++) {
      host.data(ping(request))
      host.pass(100)
    }
    const payloads = host.payloads()
    expect(payloads.filter((payload) => payload === '4602')).toHaveLength(1)
    expect(
      payloads.filter((payload) => payload.startsWith('85') && payload.slice(6, 8) === '04').length,
    ).toBeGreaterThan(5)
  })

  it('that are invalid are refused with their id', () => {
    host.data([0x3e, 0, 9, 1])
    host.data(setBri(8, 101))
    host.pass(50)
    expect(host.payloads()).toEqual(['be000906', '90000806'])
  })

  it("for a silent unit report that after the radio's own retries, well inside 3.5 s", () => {
    host.sim.silence(LAMP)
    host.data(ping(9))
    host.pass(1_500)
    expect(host.payloads()).toEqual(['85000901'])
    expect(host.sim.counters.units.get(LAMP)?.radioFrames).toBe(3)
  })

  it('are refused at once while the radio is down', () => {
    host.sim.radio(false)
    host.data(ping(9))
    host.pass(10)
    expect(host.payloads()).toEqual(['4700', '85000905'])
  })
})

describe('a reply', () => {
  it('never overtakes an older report about its own unit', () => {
    host.reset()
    host.acknowledges = false
    host.sim.touch(11, null, 'up')
    host.pass(60)
    host.sim.touch(LAMP, null, 'up')
    host.pass(60)
    host.data(setBri(1, 10))
    host.pass(60)
    host.received.length = 0
    host.acknowledges = true
    host.pass(300)
    const order = host.payloads().map((payload) => payload.slice(0, 2))
    expect(order.indexOf('90')).toBeGreaterThan(order.indexOf('40'))
    expect(order.filter((code) => code === '40').length).toBe(2)
  })
})

describe('any bytes at all', () => {
  const noise = fc.uint8Array({ maxLength: 400 })
  /** Frames with a valid checksum and the running session, but any kind, sequence number and payload. */
  const soundFrame = fc
    .tuple(fc.constantFrom(...Object.values(KIND)), fc.nat(255), fc.uint8Array({ maxLength: 40 }))
    .map(([kind, seq, payload]) => encodeFrame(frameOf(kind, SESSION, seq, payload)))

  it('stop nothing: the adapter never throws and recovers with the next valid frames', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, soundFrame), { maxLength: 12 }), (pieces) => {
        for (const piece of pieces) {
          host.port.write(piece)
          host.pass(5)
        }
        host.pass(110)
        host.reset(0x7777)
        host.received.length = 0
        host.data([0x01, 0, 1], { session: 0x7777, seq: 0 })
        host.pass(50)
        expect(host.received.some(({ kind, payload }) => kind === KIND.data && payload[0] === 0x81)).toBe(true)
        host.reset(0x7778)
      }),
      { numRuns: times(50, 1_500) },
    )
  })
})
