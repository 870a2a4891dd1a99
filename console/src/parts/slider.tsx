import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { usePress } from './press.ts'

interface SliderProps {
  readonly label: string
  /** The confirmed value; null: not heard yet. */
  readonly value: number | null
  /** Whether something is asked for and not answered yet. */
  readonly asked: boolean
  readonly disabled: boolean
  /** Called when the slider is released or its last key was pressed, not while it moves. */
  readonly onChange: (value: number) => void
}

/** A percentage. While it is moved it shows what would be asked for, and then what was confirmed. */
export function Slider({ label, value, asked, disabled, onChange }: SliderProps): JSX.Element {
  const wish = useWish({ value, asked })
  const input = useRef<HTMLInputElement>(null)
  const shown = wish.value.value ?? value ?? 0
  useEffect(() => input.current?.style.setProperty('--at', String(shown / 100)), [shown])
  return (
    <input
      ref={input}
      type="range"
      class="slider"
      aria-label={label}
      aria-valuetext={value === null && wish.value.value === null ? undefined : `${shown} %`}
      aria-busy={asked}
      min={0}
      max={100}
      step={1}
      value={shown}
      disabled={disabled}
      onPointerDown={({ button }) => {
        if (button === 0) wish.hold()
      }}
      onInput={({ currentTarget }) => {
        // The browser moves it with any finger; it stays where it was when the press does not count.
        if (!wish.step(currentTarget.valueAsNumber, onChange)) currentTarget.value = String(shown)
      }}
    />
  )
}

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

/** The wish of a control, for as long as the control is shown. */
export function useWish({ value, asked }: Pick<SliderProps, 'value' | 'asked'>): Wish {
  const wish = useMemo(() => new Wish(), [])
  const isHeld = wish.isHeld.value
  useEffect(() => {
    if (!asked) wish.answered()
  }, [asked, value, isHeld])
  useEffect(() => () => wish.close(), [])
  return wish
}
