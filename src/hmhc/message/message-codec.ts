import { keysOf } from '../../lib/keys.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { ByteReader, ByteWriter, UnsoundMessage } from './bytes.ts'
import type { MessageFault } from './bytes.ts'
import type { Codec } from './codec.ts'
import { outcome, REPORTS, REQUESTS } from './messages.ts'
import type { Reply, Report, ReportName, Request, RequestName } from './messages.ts'

/** Payloads of DATA frames, as bytes and back. */

/** Top bit of a reply's code. */
const REPLY_BIT = 0x80

export type FromAdapter =
  | { readonly type: 'reply'; readonly request: number; readonly reply: Reply }
  | { readonly type: 'report'; readonly report: Report }

// Each table entry's codecs belong to its name; the unions over names hide that, hence `Codec<object>` throughout.
interface Entry<N> {
  readonly name: N
  readonly code: number
  readonly fields: Codec<object>
  readonly reply: Codec<object>
}
const requestEntries: readonly Entry<RequestName>[] = keysOf(REQUESTS).map((name) => {
  const { code, fields, done } = REQUESTS[name] as { code: number; fields: Codec<object>; done: Codec<object> }
  return { name, code, fields, reply: outcome(done) }
})
const REQUEST_BY_NAME = new Map(requestEntries.map((entry) => [entry.name, entry]))
const REQUEST_BY_CODE = new Map(requestEntries.map((entry) => [entry.code, entry]))
const REPORT_BY_CODE: ReadonlyMap<number, ReportName> = new Map(
  keysOf(REPORTS).map((name) => [REPORTS[name].code, name]),
)

function entryOf(name: RequestName): Entry<RequestName> {
  const entry = REQUEST_BY_NAME.get(name)
  if (entry === undefined) throw new RangeError(`There is no request ${name}`)
  return entry
}

/** Throws RangeError when a field does not fit: a defect of the caller. @param id request id, 0 to 65,535. */
export function encodeRequest(id: number, request: Request): Uint8Array {
  const { code, fields } = entryOf(request.name)
  return encode(code, id, fields, request)
}

export function encodeReply(id: number, reply: Reply): Uint8Array {
  const { code, reply: codec } = entryOf(reply.name)
  return encode(code | REPLY_BIT, id, codec, reply)
}

export function encodeReport(report: Report): Uint8Array {
  const { code, fields } = REPORTS[report.name] as { code: number; fields: Codec<object> }
  return encode(code, null, fields, report)
}

function encode(code: number, id: number | null, fields: Codec<object>, value: object): Uint8Array {
  const writer = new ByteWriter()
  writer.u8(code)
  if (id !== null) writer.u16(id)
  fields.write(writer, value)
  return writer.take()
}

/** What an adapter sent. Never throws: a message that is not sound in every field is refused whole. */
export function decodeFromAdapter(payload: Uint8Array): Result<FromAdapter, MessageFault> {
  return decode(payload, (reader, code) => {
    const report = REPORT_BY_CODE.get(code)
    // The codec of the name gives the fields of the name.
    if (report !== undefined)
      return {
        type: 'report',
        report: { name: report, ...(REPORTS[report].fields as Codec<object>).read(reader) } as Report,
      }
    const entry = (code & REPLY_BIT) === 0 ? undefined : REQUEST_BY_CODE.get(code & ~REPLY_BIT)
    if (entry === undefined) throw new UnsoundMessage('code')
    const request = reader.u16()
    return { type: 'reply', request, reply: { name: entry.name, ...entry.reply.read(reader) } as Reply }
  })
}

/** What a host sent, for the adapter's side of tests. */
export function decodeRequest(
  payload: Uint8Array,
): Result<{ readonly request: number; readonly message: Request }, MessageFault> {
  return decode(payload, (reader, code) => {
    const entry = REQUEST_BY_CODE.get(code)
    if (entry === undefined) throw new UnsoundMessage('code')
    const request = reader.u16()
    return { request, message: { name: entry.name, ...entry.fields.read(reader) } as Request }
  })
}

function decode<T>(payload: Uint8Array, read: (reader: ByteReader, code: number) => T): Result<T, MessageFault> {
  const reader = new ByteReader(payload)
  try {
    const message = read(reader, reader.u8())
    reader.end()
    return ok(message)
  } catch (error) {
    if (error instanceof UnsoundMessage) return fail(error.fault)
    throw error
  }
}
