import type { JSX } from 'preact'

interface SwitchProps {
  /** What is switched, for those who listen. */
  readonly label: string
  readonly on: boolean
  /** A change was sent and is not confirmed yet. */
  readonly asked?: boolean
  readonly disabled?: boolean
  /** Something that gives light: shown warm while it is on. */
  readonly lit?: boolean
  readonly onChange: (on: boolean) => void
}

/** On or off, as it was confirmed: it moves when the answer is there, and never before. */
export function Switch({ label, on, asked = false, disabled, lit = false, onChange }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class={lit ? 'switch warm' : 'switch'}
      aria-label={label}
      aria-checked={on}
      aria-busy={asked}
      disabled={disabled ?? false}
      onClick={() => {
        if (!asked) onChange(!on)
      }}
    />
  )
}
