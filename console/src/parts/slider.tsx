import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWish } from './wish.ts'

interface SliderProps {
  readonly label: string
  /** The confirmed value; null: not heard yet. */
  readonly value: number | null
  readonly min?: number
  readonly max?: number
  readonly step?: number
  /** What stands behind the number: `%`, `°C`. */
  readonly unit: string
  readonly asked?: boolean
  readonly disabled?: boolean
  /** Called when the slider is released or its last key was pressed, not while it moves. */
  readonly onChange: (value: number) => void
}

/** A value between two ends. While it is moved it shows what would be asked for, and then what was confirmed. */
export function Slider({
  label,
  value,
  min = 0,
  max = 100,
  step = 1,
  unit,
  asked = false,
  disabled,
  onChange,
}: SliderProps): JSX.Element {
  const wish = useWish({ value, asked })
  const input = useRef<HTMLInputElement>(null)
  const shown = wish.value.value ?? value ?? min
  useEffect(() => input.current?.style.setProperty('--at', String((shown - min) / (max - min))), [shown, min, max])
  return (
    <input
      ref={input}
      type="range"
      class="slider"
      aria-label={label}
      aria-valuetext={value === null && wish.value.value === null ? undefined : `${shown} ${unit}`}
      aria-busy={asked}
      min={min}
      max={max}
      step={step}
      value={shown}
      disabled={disabled ?? false}
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
