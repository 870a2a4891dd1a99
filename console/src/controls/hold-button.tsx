import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { usePress } from '../parts/press.ts'
import { words } from '../words/device.ts'

/** So long an entrance is held before it opens; the style sheet fills the button in the same time. */
const HOLD_MS = 1_000
/** So long a first press waits for the second. */
const ARMED_MS = 5_000

interface HoldButtonProps {
  /** The name of what is opened, for those who listen. */
  readonly of: string
  readonly disabled: boolean
  readonly onHeld: () => void
}

/**
 * Opens an entrance: held for a second by a finger or a pointer, or pressed twice by a key. A screen reader presses as
 * a key does, so it is never asked to hold.
 */
export function HoldButton({ of, disabled, onHeld }: HoldButtonProps): JSX.Element {
  const phase = useSignal<'idle' | 'holding' | 'armed'>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const rest = (): void => {
    clearTimeout(timer.current)
    phase.value = 'idle'
  }
  const open = (): void => {
    rest()
    onHeld()
  }
  const begin = (next: 'holding' | 'armed', ms: number, then: () => void): void => {
    clearTimeout(timer.current)
    phase.value = next
    timer.current = setTimeout(then, ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const endHold = (): void => {
    if (phase.value === 'holding') rest()
  }
  return (
    <button
      type="button"
      class={`hold ${phase.value}`}
      aria-label={phase.value === 'armed' ? words.enterAgainNamed(of) : words.holdToOpenNamed(of)}
      disabled={disabled}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        const press = usePress({ isDrag: false, onRelease: endHold, onDrop: endHold })
        if (press?.isOn !== true) return
        begin('holding', HOLD_MS, () => {
          // The door is open: lifting the finger does no more, whatever stands under it by then.
          press.drop()
          open()
        })
      }}
      onPointerLeave={endHold}
      onBlur={rest}
      onKeyDown={(event) => {
        // A key that stays down is one press, and not the second one that opens.
        if (event.repeat && event.key === 'Enter') event.preventDefault()
      }}
      onClick={(event) => {
        // A pointer has held or let go already; only a key or a screen reader clicks without one.
        if (event.detail !== 0) return
        if (phase.value === 'armed') open()
        else begin('armed', ARMED_MS, rest)
      }}
    >
      <span>{PHASE_WORDS[phase.value]}</span>
    </button>
  )
}

const PHASE_WORDS = { idle: words.holdToOpen, holding: words.holding, armed: words.enterAgain } as const
