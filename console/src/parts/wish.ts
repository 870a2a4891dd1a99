import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { usePress } from './press.ts'

/** Steps that follow each other so fast are one wish. */
const SETTLE_MS = 700

/** A value on its way to be asked for: once, after the last of its steps. */
class Wish {
  /** The wished value; null: nothing beside the confirmed one. */
  readonly value = signal<number | null>(null)
  /** Whether a pointer holds it. */
  readonly isHeld = signal(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Asks for a wish that was not asked for yet. */
  #ask: (() => void) | null = null
  #press: ReturnType<typeof usePress> = null

  /**
   * One step; those of a pointer are over when it is released, all others when none follows for a while. False: the
   * step is of a press that does not count.
   */
  step(value: number, ask: (value: number) => void): boolean {
    if (this.#press?.isIgnored === true) return false
    this.value.value = value
    this.#ask = () => ask(value)
    clearTimeout(this.#timer)
    if (!this.isHeld.peek()) this.#timer = setTimeout(() => this.#settle(), SETTLE_MS)
    return true
  }

  /** A pointer went down. It may be released anywhere. */
  hold(): void {
    // Keys that were pressed before it are a wish of their own.
    this.#settle()
    const end = (): void => {
      this.isHeld.value = false
    }
    this.#press = usePress({
      isDrag: true,
      onRelease: () => {
        this.#settle()
        end()
      },
      onDrop: () => {
        this.#ask = null
        this.value.value = null
        end()
      },
    })
    this.isHeld.value = this.#press?.isOn === true
  }

  /** The request was answered: the confirmed value shows again, unless somebody wishes on. */
  answered(): void {
    if (!this.isHeld.peek() && this.#ask === null) this.value.value = null
  }

  /** Leaving the page does not take a wish back; a value that is still dragged was no wish yet. */
  close(): void {
    if (this.isHeld.peek()) this.#press?.drop()
    else this.#settle()
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
