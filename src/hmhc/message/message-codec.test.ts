// @module-tag repeated
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PAYLOAD_BYTES_MAX, FrameSplitter } from '../frame/frame.ts'
import {
  decodeFromAdapter,
  decodeRequest,
  encodeReply,
  encodeReport,
  encodeRequest,
  GROUP_MAX,
  type Reply,
  type Request,
} from './messages.ts'
import { times } from '#support/long.ts'

/** Payloads of the documented vectors, to be slightly damaged. */
const vectors = JSON.parse(readFileSync(new URL('../../../docs/hmhc-vectors.json', import.meta.url), 'utf8')) as {
  frames: { hex: string }[]
}
const documented = vectors.frames
  .flatMap(({ hex }) => new FrameSplitter().push(Buffer.from(hex, 'hex')))
  .flatMap((found) => ('frame' in found && found.frame.kind === 'data' ? [found.frame.payload] : []))
const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 })
const spoilt = fc
  .tuple(fc.constantFrom(...documented), changes, fc.constantFrom(0, 0, 0, 0, -1, 1))
  .map(([sound, changed, longer]) => {
    const bytes = Uint8Array.from({ length: Math.max(0, sound.length + longer) }, (_, index) => sound[index] ?? 0)
    for (const [at, byte] of changed) bytes[at % bytes.length] = byte
    return bytes
  })
const payload = fc.oneof(fc.uint8Array({ maxLength: PAYLOAD_BYTES_MAX }), { arbitrary: spoilt, weight: 3 })

describe('messages', () => {
  it('of any bytes are sound or refused without an exception, and a sound one encodes to the same bytes', () => {
    let sound = 0
    fc.assert(
      fc.property(payload, (bytes) => {
        const fromHost = decodeRequest(bytes)
        const fromAdapter = decodeFromAdapter(bytes)
        if (fromHost.ok) expect(encodeRequest(fromHost.value.request, fromHost.value.message)).toEqual(bytes)
        if (fromAdapter.ok) {
          const { value } = fromAdapter
          expect(value.type === 'reply' ? encodeReply(value.request, value.reply) : encodeReport(value.report)).toEqual(
            bytes,
          )
        }
        if (fromHost.ok || fromAdapter.ok) sound += 1
      }),
      { numRuns: times(500, 6_000) },
    )
    expect(sound).toBeGreaterThan(times(50, 600))
  })

  it('of the largest group fit one frame, request and reply', () => {
    const devices = Array.from({ length: GROUP_MAX }, (_, index) => ({ address: 0xfe00 + index, gang: null }))
    const request: Request = {
      name: 'group_control',
      members: devices.map((device) => ({ ...device, command: { op: 'set_temp', args: { temp: 21.5 } } })),
    }
    const reply: Reply = {
      name: 'group_control',
      result: 'done',
      results: devices.map((device) => ({
        ...device,
        result: 'done',
        class: 'ac',
        state: { on: true, temp: 21.5, mode: 'cool', fan: 'high' },
      })),
    }
    expect(encodeRequest(1, request).length).toBeLessThanOrEqual(PAYLOAD_BYTES_MAX)
    expect(encodeReply(1, reply).length).toBeLessThanOrEqual(PAYLOAD_BYTES_MAX)
  })

  it('with a value outside its range are a defect of the caller', () => {
    expect(() =>
      encodeRequest(1, {
        name: 'control',
        address: 17,
        gang: null,
        command: { op: 'set_brightness', args: { bri: 101 } },
      }),
    ).toThrow(RangeError)
    expect(() => encodeRequest(1, { name: 'ping', address: 0 })).toThrow(RangeError)
    expect(() => encodeRequest(1, { name: 'ping', address: 65_280 })).toThrow(RangeError)
    expect(() => encodeRequest(1, { name: 'set_clock', epoch: 0.5, offset: 0 })).toThrow(RangeError)
  })
})
