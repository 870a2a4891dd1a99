// Reads a ZIP of uncompressed files by its directory at the end, as unpackers do.

import { crc32 } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50

/**
 * The files in it, by their paths.
 *
 * @throws an Error where a file is not what its entry says.
 */
export function filesInZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(word(END))
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place))
    const name = zip.subarray(at + 46, at + 46 + nameBytes).toString('utf8')
    const content = contentAt(zip, zip.readUInt32LE(at + 42), zip.readUInt32LE(at + 20))
    const isSound = zip.readUInt32LE(at) === ENTRY && zip.readUInt16LE(at + 10) === 0
    if (!isSound || crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is not what its entry says.`)
    files.set(name, content)
    at += 46 + nameBytes + extraBytes + commentBytes
  }
  return files
}

function contentAt(zip: Buffer, at: number, bytes: number): Buffer {
  if (zip.readUInt32LE(at) !== LOCAL) throw new Error(`No file begins at ${at}.`)
  const begin = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28)
  return zip.subarray(begin, begin + bytes)
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
