import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import type { House } from '../house/house.ts'
import { type Cause, GATEWAY_CAUSE, type HeldMode, type HomeEvent } from '../model/events.ts'
import { FIRST_MODE } from '../model/modes.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { HeldModeStore } from '../ports/house-store.ts'

interface PresentModeParts {
  readonly house: Pick<House, 'modes'>
  readonly store: HeldModeStore
  readonly work: UnitOfWork
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
  readonly log: Log
  /** True while the wall clock is not trusted: a temporary mode then goes on. */
  readonly isClockDoubted: () => boolean
}

/** Longest time between two looks at the clock, which may jump or be trusted again. */
export const MODE_CHECK_MS = 30_000

/** The mode of the home. It is stored; a temporary one ends at its time and the previous one returns. */
export class PresentMode {
  readonly #parts: PresentModeParts
  #held: HeldMode
  #names: string
  #cancel = (): void => {}
  #unsubscribe = (): void => {}

  constructor(parts: PresentModeParts) {
    this.#parts = parts
    const first = { mode: FIRST_MODE, since: parts.clock.now(), until: null, previous: null, cause: GATEWAY_CAUSE }
    this.#held = parts.store.load() ?? first
    this.#names = this.#list()
  }

  get now(): HeldMode {
    return this.#held
  }

  /** Ends a temporary mode whose time passed while the gateway was off, and watches the clock from now on. */
  start(): void {
    this.#unsubscribe = this.#parts.events.on((event) => {
      if (event.kind === 'structure') this.#listChanged(event.cause)
    })
    this.#settle()
  }

  stop(): void {
    this.#cancel()
    this.#unsubscribe()
  }

  /**
   * Sets the mode. The caller has checked that the home has it. With `until` (epoch ms) the mode that lasted before
   * returns then; one that was itself temporary does not.
   */
  set(mode: string, until: number | null, cause: Cause): void {
    const { mode: before, until: end } = this.#held
    if (mode === before && until === end) return
    const lasting = end === null ? before : (this.#held.previous ?? before)
    this.#hold({ mode, until, previous: until === null ? null : lasting, cause })
  }

  #hold(next: Omit<HeldMode, 'since'>): void {
    const at = this.#parts.clock.now()
    const { mode: from, since } = this.#held
    const { mode, until, cause } = next
    const held = { ...next, since: mode === from ? since : at }
    const name = this.#parts.house.modes.get(mode)?.name ?? mode
    const what = mode === from ? `${until === null ? 'lasts' : 'has a new end'}: ${name}` : `changed to ${name}`
    this.#parts.work.change((record) => {
      this.#parts.store.save(held)
      const data = { from: { mode: from }, to: { mode }, until }
      record({ at, kind: 'state', subject: { kind: 'mode' }, what, cause, data })
    })
    this.#held = held
    this.#arm()
    this.#emit(from)
  }

  #emit(before: string): void {
    const modes = [...this.#parts.house.modes.values()]
    this.#parts.events.emit({ kind: 'mode', held: this.#held, before, modes, at: this.#parts.clock.now() })
  }

  /** Ends a temporary mode at its time. A refusing disk is tried again at the next look. */
  #settle(): void {
    const { until, previous, cause } = this.#held
    const isOver = until !== null && this.#parts.clock.now() >= until && !this.#parts.isClockDoubted()
    if (!isOver) return this.#arm()
    try {
      this.#hold({
        mode: this.#existing(previous),
        until: null,
        previous: null,
        cause: { ...GATEWAY_CAUSE, by: cause },
      })
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#parts.log.error({ err: error }, 'The end of a temporary mode could not be stored. It is tried again.')
      this.#arm()
    }
  }

  #arm(): void {
    this.#cancel()
    const { until } = this.#held
    if (until === null) return
    const left = until - this.#parts.clock.now()
    // An end that waits for the clock or the disk is looked at again later.
    const wait = left > 0 ? Math.min(left, MODE_CHECK_MS) : MODE_CHECK_MS
    this.#cancel = this.#parts.clock.after(wait, () => this.#settle())
  }

  #existing(mode: string | null): string {
    return mode !== null && this.#parts.house.modes.has(mode) ? mode : FIRST_MODE
  }

  /** Leaves a mode that the home no longer has, and reports a changed list. */
  #listChanged(by: Cause): void {
    const names = this.#list()
    if (names === this.#names) return
    this.#names = names
    const { mode, previous } = this.#held
    if (!this.#parts.house.modes.has(mode))
      return this.#hold({
        mode: this.#existing(previous),
        until: null,
        previous: null,
        cause: { ...GATEWAY_CAUSE, by },
      })
    this.#emit(mode)
  }

  #list(): string {
    return JSON.stringify([...this.#parts.house.modes.values()])
  }
}
