/** Why a message is refused whole: unknown code, a field outside its range, bytes missing or left over. */
export type MessageFault = 'code' | 'length' | 'value'

/** Thrown inside the codecs only; `decode…` of message-codec.ts turns it into a result. */
export class UnsoundMessage extends Error {
  readonly fault: MessageFault

  constructor(fault: MessageFault) {
    super(fault)
    this.fault = fault
  }
}

/** Reads big-endian numbers one after the other. */
export class ByteReader {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2))
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4))
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2))
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4))
  }

  /** Throws unless every byte was read. */
  end(): void {
    if (this.#at !== this.#view.byteLength) throw new UnsoundMessage('length')
  }

  #take(count: number): number {
    const at = this.#at
    this.#at += count
    if (this.#at > this.#view.byteLength) throw new UnsoundMessage('length')
    return at
  }
}

/** Collects big-endian numbers; a number that does not fit is a defect of the caller. */
export class ByteWriter {
  readonly #bytes: number[] = []

  u8(value: number): void {
    this.#put(value, 1, 0, 0xff)
  }

  u16(value: number): void {
    this.#put(value, 2, 0, 0xffff)
  }

  u32(value: number): void {
    this.#put(value, 4, 0, 0xffff_ffff)
  }

  i16(value: number): void {
    this.#put(value, 2, -0x8000, 0x7fff)
  }

  i32(value: number): void {
    this.#put(value, 4, -0x8000_0000, 0x7fff_ffff)
  }

  take(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }

  #put(value: number, bytes: number, least: number, most: number): void {
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${value} does not fit ${bytes} bytes`)
    for (let shift = (bytes - 1) * 8; shift >= 0; shift -= 8) this.#bytes.push((value >> shift) & 0xff)
  }
}
