import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { attachPress } from './press.ts'

interface SliderProps {
  readonly label: string
  /** The confirmed value; null before the unit reported one. */
  readonly value: number | null
  /** True while a change waits for its answer. */
  readonly pending: boolean
  readonly disabled: boolean
  /** Called after the release or the last key, not during the movement. */
  readonly onChange: (value: number) => void
}

/** A slider for a percentage. It shows the chosen value during the movement, then the confirmed one. */
export function Slider({ label, value, pending, disabled, onChange }: SliderProps): JSX.Element {
  const chosen = useChosenValue({ value, pending })
  const input = useRef<HTMLInputElement>(null)
  const displayed = chosen.value.value ?? value ?? 0
  useEffect(() => input.current?.style.setProperty('--at', String(displayed / 100)), [displayed])
  return (
    <input
      ref={input}
      type="range"
      class="slider"
      aria-label={label}
      aria-valuetext={value === null && chosen.value.value === null ? undefined : `${displayed} %`}
      aria-busy={pending}
      min={0}
      max={100}
      step={1}
      value={displayed}
      disabled={disabled}
      onPointerDown={({ button }) => {
        if (button === 0) chosen.startDrag()
      }}
      onInput={({ currentTarget }) => {
        // The browser moves the slider even for an ignored press, so the page moves it back.
        if (!chosen.set(currentTarget.valueAsNumber, onChange)) currentTarget.value = String(displayed)
      }}
    />
  )
}

/** Key presses within this time count as one change. */
const SETTLE_MS = 700

/** Value that a person is choosing. It is sent once, after the last step. */
class ChosenValue {
  /** The chosen value; null while the control shows the confirmed one. */
  readonly value = signal<number | null>(null)
  /** True while a pointer drags the control. */
  readonly isDragging = signal(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Sends the value; null if there is nothing to send. */
  #send: (() => void) | null = null
  #press: ReturnType<typeof attachPress> = null

  /**
   * Sets the value. It is sent when the pointer is released, or after a pause in key presses. Returns false for an
   * ignored press.
   */
  set(value: number, send: (value: number) => void): boolean {
    if (this.#press?.isIgnored === true) return false
    this.value.value = value
    this.#send = () => send(value)
    clearTimeout(this.#timer)
    if (!this.isDragging.peek()) this.#timer = setTimeout(() => this.#flush(), SETTLE_MS)
    return true
  }

  /** Starts a drag at `pointerdown`. The pointer may be released anywhere. */
  startDrag(): void {
    // Earlier key presses are a change of their own.
    this.#flush()
    const end = (): void => {
      this.isDragging.value = false
    }
    this.#press = attachPress({
      isDrag: true,
      onRelease: () => {
        this.#flush()
        end()
      },
      onDrop: () => {
        this.#send = null
        this.value.value = null
        end()
      },
    })
    this.isDragging.value = this.#press?.isActive === true
  }

  /** Shows the confirmed value again after an answer, unless the person continues. */
  reset(): void {
    if (!this.isDragging.peek() && this.#send === null) this.value.value = null
  }

  /** Sends a finished change when the control leaves the page; an unfinished drag is dropped. */
  close(): void {
    if (this.isDragging.peek()) this.#press?.drop()
    else this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    const send = this.#send
    this.#send = null
    send?.()
  }
}

/** The chosen value of a control while it is on the page. */
export function useChosenValue({ value, pending }: Pick<SliderProps, 'value' | 'pending'>): ChosenValue {
  const chosen = useMemo(() => new ChosenValue(), [])
  const isDragging = chosen.isDragging.value
  useEffect(() => {
    if (!pending) chosen.reset()
  }, [pending, value, isDragging])
  useEffect(() => () => chosen.close(), [])
  return chosen
}
