// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  crc16,
  stuff,
  unstuff,
  BOOT_REASONS,
  decodeFrame,
  encodeFrame,
  ERROR_REASONS,
  NAK_REASONS,
  PAYLOAD_BYTES_MAX,
  STUFFED_BYTES_MAX,
  type Frame,
  FrameSplitter,
} from './frame.ts'
import { times } from '#support/long.ts'

const bytes = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength })
const u32 = fc.nat({ max: 0xffff_ffff })
const header = { session: fc.integer({ min: 1, max: 0xffff }), seq: fc.nat({ max: 255 }) }
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ kind: fc.constant('data' as const), ...header, payload: bytes(PAYLOAD_BYTES_MAX, 1) }),
  fc.record({ kind: fc.constantFrom('ack' as const, 'ping' as const, 'pong' as const), ...header }),
  fc.record({ kind: fc.constant('nak' as const), ...header, reason: fc.constantFrom(...NAK_REASONS) }),
  fc.record({ kind: fc.constant('rst' as const), ...header, version: fc.nat({ max: 255 }), host: u32 }),
  fc.record({
    kind: fc.constant('rstack' as const),
    ...header,
    version: fc.nat({ max: 255 }),
    bootReason: fc.constantFrom(...BOOT_REASONS),
    boot: u32,
  }),
  fc.record({
    kind: fc.constant('error' as const),
    session: fc.constant(0),
    seq: header.seq,
    reason: fc.constantFrom(...ERROR_REASONS),
    bootReason: fc.constantFrom(...BOOT_REASONS),
  }),
)

/** Cuts a stream at the given positions. */
function pieces(stream: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => stream.slice(places[index], end))
}

function framesIn(stream: Uint8Array, cuts: readonly number[] = []): { frames: Frame[]; mostHeld: number } {
  const splitter = new FrameSplitter()
  let mostHeld = 0
  const frames = pieces(stream, cuts).flatMap((piece) => {
    const found = splitter.push(piece)
    mostHeld = Math.max(mostHeld, splitter.held)
    return found.flatMap((one) => ('frame' in one ? [one.frame] : []))
  })
  return { frames, mostHeld }
}

describe('checksum and stuffing', () => {
  it('is the CRC-16 that docs/hmhc.md names', () => {
    expect(crc16(Buffer.from('123456789'), 9)).toBe(0x29b1)
  })

  it('leaves no zero inside and restores the same bytes', () => {
    fc.assert(
      fc.property(bytes(253, 1), (raw) => {
        const wire = stuff(raw, raw.length)
        expect(wire.length).toBe(raw.length + 3)
        const inner = wire.slice(1, -1)
        expect(inner.includes(0)).toBe(false)
        const length = unstuff(inner, inner.length)
        expect(inner.slice(0, length ?? -1)).toEqual(raw)
      }),
      { numRuns: times(200, 2_000) },
    )
  })
})

describe('frames', () => {
  it('survive the wire with any cuts', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 30 }), (sent, cuts) => {
        const { frames } = framesIn(Buffer.concat(sent.map(encodeFrame)), cuts)
        expect(frames).toEqual(sent)
      }),
      { numRuns: times(300, 8_000) },
    )
  })

  it('have at most 256 bytes on the wire, and a longer payload is a defect', () => {
    expect(
      encodeFrame({ kind: 'data', session: 1, seq: 1, payload: new Uint8Array(PAYLOAD_BYTES_MAX).fill(255) }),
    ).toHaveLength(256)
    expect(() =>
      encodeFrame({ kind: 'data', session: 1, seq: 1, payload: new Uint8Array(PAYLOAD_BYTES_MAX + 1) }),
    ).toThrow(RangeError)
  })

  it('are all found after garbage, with at most one frame in the buffer', () => {
    const noise = fc.oneof(
      bytes(300),
      fc.constant(new Uint8Array(600).fill(0x55)),
      bytes(40).map((some) => Buffer.concat([Buffer.from([0]), some])),
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(noise, frame), { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (parts, cuts) => {
          const { frames, mostHeld } = framesIn(
            Buffer.concat(parts.flatMap(([garbage, sent]) => [garbage, encodeFrame(sent)])),
            cuts,
          )
          // Garbage may contain a valid frame by chance, one in 65,536 candidates; all sent frames arrive in order.
          let at = 0
          for (const [, sent] of parts) {
            at =
              frames.findIndex(
                (found, index) => index >= at && Buffer.compare(encodeFrame(found), encodeFrame(sent)) === 0,
              ) + 1
            expect(at).toBeGreaterThan(0)
          }
          expect(mostHeld).toBeLessThanOrEqual(STUFFED_BYTES_MAX)
        },
      ),
      { numRuns: times(300, 8_000) },
    )
  })

  it('with a changed, lost or added byte cost at most themselves and one neighbour', () => {
    const fault = fc.record({
      at: fc.nat(),
      what: fc.constantFrom('change' as const, 'lose' as const, 'add' as const),
      byte: fc.nat({ max: 255 }),
    })
    fc.assert(
      fc.property(fc.array(frame, { minLength: 3, maxLength: 8 }), fault, (sent, { at, what, byte }) => {
        const stream = [...Buffer.concat(sent.map(encodeFrame))]
        stream.splice(at % stream.length, what === 'add' ? 0 : 1, ...(what === 'lose' ? [] : [byte]))
        expect(framesIn(Uint8Array.from(stream)).frames.length).toBeGreaterThanOrEqual(sent.length - 1)
      }),
      { numRuns: times(200, 4_000) },
    )
  })

  it('are distinguished from every other sequence of bytes without an exception', () => {
    fc.assert(
      fc.property(bytes(300), (raw) => {
        const found = decodeFrame(raw, raw.length)
        expect(typeof found === 'string' || encodeFrame(found).length === raw.length + 3).toBe(true)
      }),
      { numRuns: times(200, 4_000) },
    )
  })

  const turns = times(5_000, 1_000_000)
  it(`survive ${turns} times, one in ten damaged`, () => {
    const splitter = new FrameSplitter()
    const good = encodeFrame({
      kind: 'data',
      session: 7,
      seq: 9,
      payload: Uint8Array.from({ length: 40 }, (_, index) => index * 7),
    })
    const goodHex = Buffer.from(good).toString('hex')
    let seed = 1
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff) % below
    let expected = 0
    let found = 0
    for (let turn = 0; turn < turns; turn++) {
      const damaged = random(10) === 0
      const piece = good.slice()
      if (damaged) piece[1 + random(piece.length - 2)] = 1 + random(255)
      if (Buffer.from(piece).toString('hex') === goodHex) expected += 1
      for (const one of splitter.push(piece))
        if ('frame' in one && Buffer.from(encodeFrame(one.frame)).toString('hex') === goodHex) found += 1
    }
    expect(found).toBe(expected)
  })
})
