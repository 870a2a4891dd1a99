import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

/** Steps that follow each other so fast are one wish. */
const SETTLE_MS = 700

/** A value on its way to be asked for: once, after the last of its steps. */
class Wish {
  /** What is wished for; null: nothing beside what is confirmed. */
  readonly value = signal<number | null>(null)
  /** Whether a pointer holds it. */
  readonly isHeld = signal(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Asks for what is wished for and was not asked for yet. */
  #ask: (() => void) | null = null
  #unhold = new AbortController()

  /** One step; those of a pointer are over when it is let go, all others when none follows for a while. */
  step(value: number, ask: (value: number) => void): void {
    this.value.value = value
    this.#ask = () => ask(value)
    clearTimeout(this.#timer)
    if (!this.isHeld.peek()) this.#timer = setTimeout(() => this.#settle(), SETTLE_MS)
  }

  /** A pointer went down. It may be let go anywhere. */
  hold(): void {
    clearTimeout(this.#timer)
    this.#unhold.abort()
    this.#unhold = new AbortController()
    this.isHeld.value = true
    const letGo = (): void => {
      this.#unhold.abort()
      this.#settle()
      this.isHeld.value = false
    }
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, letGo, { signal: this.#unhold.signal })
  }

  /** What was asked for is answered: what is confirmed shows again, unless somebody wishes on. */
  answered(): void {
    if (!this.isHeld.peek() && this.#ask === null) this.value.value = null
  }

  /** Whoever goes on to another page has not taken the wish back; only what is still dragged was no wish yet. */
  close(): void {
    this.#unhold.abort()
    if (!this.isHeld.peek()) this.#settle()
  }

  #settle(): void {
    clearTimeout(this.#timer)
    const ask = this.#ask
    this.#ask = null
    ask?.()
  }
}

interface Wished {
  /** What is confirmed; null: not heard yet. */
  readonly value: number | null
  /** Whether something is asked for and not answered yet. */
  readonly asked: boolean
}

/** The wish of a control, for as long as the control is shown. */
export function useWish({ value, asked }: Wished): Wish {
  const wish = useMemo(() => new Wish(), [])
  const isHeld = wish.isHeld.value
  useEffect(() => {
    if (!asked) wish.answered()
  }, [asked, value, isHeld])
  useEffect(() => () => wish.close(), [])
  return wish
}
