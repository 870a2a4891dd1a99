import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encodeFrame, type Frame, FrameSplitter } from './frame/frame.ts'
import {
  decodeFromAdapter,
  decodeRequest,
  encodeReply,
  encodeReport,
  encodeRequest,
  type Reply,
  type Report,
  type Request,
} from './message/messages.ts'

/** docs/hmhc-vectors.json: bytes computed independently of this codec. */
type VectorMessage = { type: 'request' | 'reply' | 'report'; name: string; request?: number; result?: string } & Record<
  string,
  unknown
>
interface Vector {
  name: string
  direction: 'host_to_adapter' | 'adapter_to_host'
  hex: string
  frame: Exclude<Frame, { kind: 'data' }> | { kind: 'data'; session: number; seq: number; message: VectorMessage }
}
interface Vectors {
  frames: Vector[]
  streams: { name: string; hex: string; found: string[]; discarded: string[] }[]
  badMessages: { name: string; direction: Vector['direction']; hex: string; why: string }[]
}
// docs/hmhc.md section 3 describes the file's form; a wrong one fails below.
const vectors = JSON.parse(readFileSync(new URL('../../docs/hmhc-vectors.json', import.meta.url), 'utf8')) as Vectors
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function onlyFrame(hex: string): Frame {
  const [found, ...more] = new FrameSplitter().push(bytesOf(hex))
  expect(more).toEqual([])
  if (found === undefined || !('frame' in found)) throw new Error(`no frame in ${hex}`)
  return found.frame
}

function messageBytes({ type, request, ...fields }: VectorMessage): Uint8Array {
  if (type === 'request') return encodeRequest(request ?? -1, fields as unknown as Request)
  if (type === 'reply') return encodeReply(request ?? -1, fields as unknown as Reply)
  return encodeReport(fields as unknown as Report)
}

function decodedMessage(direction: Vector['direction'], payload: Uint8Array): unknown {
  if (direction === 'host_to_adapter') {
    const decoded = decodeRequest(payload)
    return decoded.ok ? { type: 'request', request: decoded.value.request, ...decoded.value.message } : decoded.error
  }
  const decoded = decodeFromAdapter(payload)
  if (!decoded.ok) return decoded.error
  const { value } = decoded
  return value.type === 'reply'
    ? { type: 'reply', request: value.request, ...value.reply }
    : { type: 'report', ...value.report }
}

describe('byte vectors', () => {
  it.each(vectors.frames)('$name decodes to its fields', ({ direction, hex, frame }) => {
    const { payload, ...header } = { payload: undefined, ...onlyFrame(hex) }
    expect(payload === undefined ? header : { ...header, message: decodedMessage(direction, payload) }).toEqual(frame)
  })

  it.each(vectors.frames)('$name is encoded to its bytes', ({ hex, frame }) => {
    const encoded =
      frame.kind === 'data' ? encodeFrame({ ...frame, payload: messageBytes(frame.message) }) : encodeFrame(frame)
    expect(hexOf(encoded)).toBe(hex)
    expect(encoded.length).toBeLessThanOrEqual(256)
  })

  it.each(vectors.streams)('stream: $name', ({ hex, found, discarded }) => {
    const splitter = new FrameSplitter()
    const all = splitter.push(bytesOf(hex))
    const frames = all.flatMap((one) => ('frame' in one ? [hexOf(encodeFrame(one.frame))] : []))
    expect(frames).toEqual(found.map((name) => vectors.frames.find((vector) => vector.name === name)?.hex))
    expect(all.flatMap((one) => ('discarded' in one ? [one.discarded] : []))).toEqual(discarded)
  })

  it.each(vectors.badMessages)('message refused: $name', ({ direction, hex, why }) => {
    const frame = onlyFrame(hex)
    if (frame.kind !== 'data') throw new Error('not a DATA frame')
    expect(decodedMessage(direction, frame.payload)).toBe(why)
  })
})
