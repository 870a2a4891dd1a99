/** A message that must be refused whole, and the first reason for it. */
export class UnsoundMessage extends Error {
  readonly why: 'code' | 'length' | 'value'

  constructor(why: 'code' | 'length' | 'value') {
    super(`unsound message: ${why}`)
    this.why = why
  }
}

/** Takes fields off the front of a payload; throws UnsoundMessage. */
export class FieldReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  u8(low = 0, high = 0xff): number {
    return this.#within(this.#take(1).readUInt8(), low, high)
  }

  u16(low = 0, high = 0xffff): number {
    return this.#within(this.#take(2).readUInt16BE(), low, high)
  }

  i16(low = -0x8000, high = 0x7fff): number {
    return this.#within(this.#take(2).readInt16BE(), low, high)
  }

  u32(): number {
    return this.#take(4).readUInt32BE()
  }

  flag(): boolean {
    return this.u8(0, 1) === 1
  }

  /** One of a list, by position. */
  of<T>(list: readonly T[]): T {
    const item = list[this.u8(0, list.length - 1)]
    if (item === undefined) throw new UnsoundMessage('value')
    return item
  }

  end(): void {
    if (this.#offset !== this.#bytes.length) throw new UnsoundMessage('length')
  }

  #take(count: number): Buffer {
    const from = this.#offset
    this.#offset += count
    if (this.#offset > this.#bytes.length) throw new UnsoundMessage('length')
    return this.#bytes.subarray(from, this.#offset)
  }

  #within(value: number, low: number, high: number): number {
    if (value < low || value > high) throw new UnsoundMessage('value')
    return value
  }
}

/** Builds a payload field by field. The caller keeps values inside their fields' ranges. */
export class FieldWriter {
  readonly #bytes: number[] = []

  get length(): number {
    return this.#bytes.length
  }

  u8(...values: readonly number[]): this {
    for (const value of values) this.#bytes.push(value & 0xff)
    return this
  }

  u16(value: number): this {
    return this.u8(value >> 8, value)
  }

  u32(value: number): this {
    return this.u8(value >>> 24, value >>> 16, value >>> 8, value)
  }

  flag(value: boolean): this {
    return this.u8(value ? 1 : 0)
  }

  /** The position of an item in its list. */
  of<T>(list: readonly T[], item: T): this {
    return this.u8(list.indexOf(item))
  }

  bytes(values: Uint8Array): this {
    for (const value of values) this.#bytes.push(value)
    return this
  }

  take(): Buffer {
    return Buffer.from(this.#bytes)
  }
}
