import type { Agenda } from '../model/agenda.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { hasFaults, NO_FAULTS, type LineFaults } from './faults.ts'

/** Travel time of a byte. */
const LINE_MS = 1
/** A frame held for reordering continues after this time. */
const HELD_MS = 40
const NOISE_MS = 50
/** Bytes of a frame; more without an end are noise and are forwarded unchanged. */
const PIECE_BYTES_MAX = 256

export interface OneWayLineParts {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly deliver: (bytes: Buffer) => void
}

/** One direction of the line: delivers bytes a moment later, in order, except for faults. */
export class OneWayLine {
  readonly #parts: OneWayLineParts
  #faults = NO_FAULTS
  #piece: number[] = []
  #held: { readonly bytes: Buffer; readonly release: () => void } | null = null
  #waiting: { readonly due: number; readonly bytes: Buffer }[] = []
  #lastDue = 0
  #armed = false
  #cutAfter = Infinity
  #onCut: () => void = () => {}
  #noisy = false

  constructor(parts: OneWayLineParts) {
    this.#parts = parts
  }

  get faults(): LineFaults {
    return this.#faults
  }

  setFaults(faults: LineFaults): void {
    this.#faults = faults
    if (faults.noise > 0 && !this.#noisy) this.#makeNoise()
  }

  push(bytes: Uint8Array): void {
    if (!hasFaults(this.#faults) && this.#piece.length === 0) return this.#send(Buffer.from(bytes), 0)
    for (const byte of bytes) {
      this.#piece.push(byte)
      const ends = byte === 0 && this.#piece.some((value) => value !== 0)
      if (ends || this.#piece.length >= PIECE_BYTES_MAX) this.#sendFrame(Buffer.from(this.#piece.splice(0)))
    }
  }

  /** Puts random bytes on the line. */
  noise(count: number): void {
    this.#send(this.#parts.random.bytes(count), 0)
  }

  /** Lets `bytes` more bytes through, then nothing; `cut` runs when the last of them has arrived. */
  cutAfter(bytes: number, cut: () => void): void {
    this.#cutAfter = bytes
    this.#onCut = cut
  }

  /** Drops bytes on their way: the line was opened or closed. */
  clear(): void {
    this.#waiting = []
    this.#piece = []
    this.#held = null
    this.#cutAfter = Infinity
  }

  #makeNoise(): void {
    this.#noisy = this.#faults.noise > 0
    if (!this.#noisy) return
    const expected = (this.#faults.noise * NOISE_MS) / 1_000
    const count = Math.floor(expected) + (this.#parts.random.chance(expected % 1) ? 1 : 0)
    if (count > 0) this.noise(count)
    this.#parts.agenda.after(NOISE_MS, () => this.#makeNoise())
  }

  #sendFrame(frame: Buffer): void {
    const { drop, corrupt, duplicate, reorder, delay, delayMs } = this.#faults
    // Every frame draws the same number of random values, so that one fault does not affect the others.
    const draws = Array.from({ length: 5 }, () => this.#parts.random.float())
    const lateMs = this.#parts.random.between(...delayMs)
    const [dropped = 1, corrupted = 1, doubled = 1, reordered = 1, late = 1] = draws
    if (dropped < drop) return
    const bytes = corrupted < corrupt ? this.#corrupt(frame) : frame
    const wait = late < delay ? lateMs : 0
    if (reordered < reorder && this.#held === null) return this.#hold(bytes)
    this.#send(bytes, wait)
    if (doubled < duplicate) this.#send(bytes, wait)
    this.#held?.release()
  }

  #hold(bytes: Buffer): void {
    const cancel = this.#parts.agenda.after(HELD_MS, () => this.#held?.release())
    this.#held = {
      bytes,
      release: () => {
        cancel()
        this.#held = null
        this.#send(bytes, 0)
      },
    }
  }

  #corrupt(frame: Buffer): Buffer {
    const bytes = Buffer.from(frame)
    for (let times = this.#parts.random.whole(1, 3); times > 0; times--) {
      const at = this.#parts.random.whole(0, bytes.length - 1)
      bytes[at] = (bytes[at] ?? 0) ^ this.#parts.random.whole(1, 255)
    }
    return bytes
  }

  #send(bytes: Buffer, waitMs: number): void {
    const due = Math.max(this.#lastDue, this.#parts.agenda.now() + LINE_MS + waitMs)
    this.#lastDue = due
    this.#waiting.push({ due, bytes })
    this.#arm()
  }

  #arm(): void {
    const next = this.#waiting[0]
    if (next === undefined || this.#armed) return
    this.#armed = true
    this.#parts.agenda.after(next.due - this.#parts.agenda.now(), () => {
      this.#armed = false
      this.#flush()
      this.#arm()
    })
  }

  #flush(): void {
    const now = this.#parts.agenda.now()
    const ready = this.#waiting.findIndex(({ due }) => due > now)
    const due = this.#waiting.splice(0, ready < 0 ? this.#waiting.length : ready)
    for (const { bytes } of due) {
      const passed = bytes.subarray(0, this.#cutAfter)
      this.#cutAfter -= passed.length
      if (passed.length > 0) this.#parts.deliver(passed)
      if (this.#cutAfter > 0) continue
      this.#onCut()
      return
    }
  }
}
