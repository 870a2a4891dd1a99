const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
  return crc
})

/** CRC-16 of docs/hmhc.md 1.1 over the first `length` bytes: polynomial 1021, start FFFF, not reflected. */
export function crc16(bytes: Uint8Array, length: number): number {
  let crc = 0xffff
  for (let index = 0; index < length; index++)
    crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ (bytes[index] ?? 0)] ?? 0)
  return crc
}
