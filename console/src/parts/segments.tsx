import type { JSX } from 'preact'
import { useId } from 'preact/hooks'

interface SegmentsProps<Value extends string> {
  readonly legend: string
  readonly options: readonly { readonly value: Value; readonly name: string }[]
  /** Null: none of them is known to hold. */
  readonly value: Value | null
  readonly disabled?: boolean
  readonly onChange: (value: Value) => void
}

/** One of a few, side by side. */
export function Segments<Value extends string>({
  legend,
  options,
  value,
  disabled,
  onChange,
}: SegmentsProps<Value>): JSX.Element {
  const name = useId()
  return (
    <fieldset class="segments" disabled={disabled ?? false}>
      <legend class="unseen">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.name}</span>
        </label>
      ))}
    </fieldset>
  )
}
