/** WebSocket frames of the server (RFC 6455 section 5.2): text, final, unmasked. */
const FINAL_TEXT = 0x81
const LENGTH_IN_TWO_BYTES = 126
const LENGTH_IN_EIGHT_BYTES = 127
const TWO_BYTES_MAX = 0xffff

/** Bodies up to this size are copied into one frame, which is faster than a second write. */
const COPY_BYTES_MAX = 16 * 1024

function headLength(payload: number): number {
  return payload < LENGTH_IN_TWO_BYTES ? 2 : payload <= TWO_BYTES_MAX ? 4 : 10
}

function writeHead(frame: Buffer, payload: number): void {
  frame[0] = FINAL_TEXT
  if (payload < LENGTH_IN_TWO_BYTES) {
    frame[1] = payload
  } else if (payload <= TWO_BYTES_MAX) {
    frame[1] = LENGTH_IN_TWO_BYTES
    frame.writeUInt16BE(payload, 2)
  } else {
    frame[1] = LENGTH_IN_EIGHT_BYTES
    frame.writeBigUInt64BE(BigInt(payload), 2)
  }
}

/** One frame. `isLongLived` gives it memory of its own, so that it does not pin a shared pool. */
export function textFrame(text: string, isLongLived = false): Buffer {
  const payload = Buffer.byteLength(text)
  const head = headLength(payload)
  const frame = isLongLived ? Buffer.allocUnsafeSlow(head + payload) : Buffer.allocUnsafe(head + payload)
  writeHead(frame, payload)
  frame.write(text, head)
  return frame
}

/** One frame around JSON bytes; long ones are written as separate pieces to avoid a copy. */
export function splicedFrame(before: string, body: Buffer, after: string): readonly Buffer[] {
  const [lead, trail] = [Buffer.from(before), Buffer.from(after)]
  const payload = lead.length + body.length + trail.length
  const head = Buffer.allocUnsafe(headLength(payload))
  writeHead(head, payload)
  const pieces = [head, lead, body, trail]
  return body.length <= COPY_BYTES_MAX ? [Buffer.concat(pieces)] : [Buffer.concat([head, lead]), body, trail]
}
