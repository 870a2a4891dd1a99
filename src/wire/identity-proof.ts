/**
 * Bytes that a gateway signs to authenticate: its serial, the relay's nonce and the exporter of their TLS connection,
 * each preceded by its length as two big-endian bytes.
 */
export function proofBytes(serial: string, nonce: Buffer, exporter: Buffer): Buffer {
  return Buffer.concat([Buffer.from(serial), nonce, exporter].flatMap((part) => [lengthOf(part), part]))
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(part.length)
  return length
}
