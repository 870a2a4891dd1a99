import type { JSX } from 'preact'
import { useWish } from '../parts/wish.ts'
import { numberWords } from '../words/state.ts'
import { words } from '../words/device.ts'

const [LEAST, MOST, STEP] = [5, 35, 0.5]

interface StepperProps {
  /** What is set, for those who listen. */
  readonly label: string
  /** Degrees Celsius as confirmed; null: not heard yet. */
  readonly value: number | null
  readonly asked: boolean
  readonly disabled: boolean
  /** Called once after the last press. */
  readonly onChange: (value: number) => void
}

/** A temperature in steps of half a degree. While it is pressed it shows the wish, and then what was confirmed. */
export function Stepper({ label, value, asked, disabled, onChange }: StepperProps): JSX.Element {
  const wish = useWish({ value, asked })
  const shown = wish.value.value ?? value
  const step = (by: number): void => {
    wish.step(Math.min(Math.max((shown ?? 20) + by, LEAST), MOST), onChange)
  }
  return (
    <div class="stepper" role="group" aria-label={label}>
      <button
        type="button"
        class="quiet"
        aria-label={words.colder(label)}
        disabled={disabled}
        onClick={() => step(-STEP)}
      >
        −
      </button>
      <output class={wish.value.value === null ? '' : 'wish'}>{shown === null ? '–' : numberWords(shown, '°C')}</output>
      <button
        type="button"
        class="quiet"
        aria-label={words.warmer(label)}
        disabled={disabled}
        onClick={() => step(STEP)}
      >
        +
      </button>
    </div>
  )
}
