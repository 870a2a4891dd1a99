import type { ComponentChildren, JSX, TargetedSubmitEvent } from 'preact'
import { useId } from 'preact/hooks'
import { words } from '../words/page-frame.ts'
import { Sentence } from './action.tsx'
import { Button } from './page.tsx'

/** Submit handler of a form. */
export const onSend =
  (send: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    send(event.currentTarget)
  }

interface FormProps {
  /** Label of the main button. */
  readonly verb: string
  readonly busy: boolean
  readonly onSubmit: (form: HTMLFormElement) => unknown
  /** Adds a cancel button; forms in dialogs need one. */
  readonly onCancel?: () => void
  /** Label of that button, `Cancel` by default. */
  readonly cancel?: string
  readonly children: ComponentChildren
}

/** Fields with a submit button below them. */
export function Form({ verb, busy, onSubmit, onCancel, cancel = words.cancel, children }: FormProps): JSX.Element {
  return (
    <form onSubmit={onSend(onSubmit)}>
      {children}
      <div class="actions">
        {onCancel && <Button label={cancel} onClick={onCancel} />}
        <button type="submit" class="main" aria-disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  )
}

type Input = JSX.IntrinsicElements['input']
type TextProps = 'autocomplete' | 'inputMode' | 'maxLength' | 'minLength' | 'onInput' | 'placeholder' | 'spellcheck'
type InputProps = 'defaultValue' | 'disabled' | 'name' | 'required' | 'value'

interface FieldProps extends Pick<Input, TextProps | InputProps> {
  readonly type?: 'text' | 'password'
  readonly label: string
  /** Help text below the field. */
  readonly hint?: string | undefined
  /** Error message, shown instead of the hint. */
  readonly error?: string | null
}

/** A text field with its label. */
export function Field({ label, hint, error = null, type = 'text', ...input }: FieldProps): JSX.Element {
  const id = useId()
  const description = error !== null || hint !== undefined ? `${id}-about` : undefined
  const all = { ...input, id, 'aria-describedby': description, 'aria-invalid': error !== null || undefined }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? <input {...all} type="password" /> : <input {...all} type="text" />}
      {error === null && hint !== undefined && (
        <p id={description} class="hint">
          <Sentence>{hint}</Sentence>
        </p>
      )}
      {error !== null && (
        <p id={description} role="alert">
          <Sentence>{error}</Sentence>
        </p>
      )}
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onChoose: (value: string) => void
}

/** A drop-down list with its label. */
export function Select({ label, value, options, onChoose }: SelectProps): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A text field for a name. */
export const NameField = (field: Omit<FieldProps, 'label'>): JSX.Element => (
  <Field label={words.name} name="name" autocomplete="off" maxLength={64} required {...field} />
)

interface CheckProps extends Pick<Input, 'checked' | 'defaultChecked' | 'disabled' | 'name' | 'onChange' | 'required'> {
  readonly children: ComponentChildren
}

/** A checkbox with its label. */
export function Checkbox({ children, ...input }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input {...input} type="checkbox" />
      <span>{children}</span>
    </label>
  )
}

/** Text of a form field. */
export function textOf(form: HTMLFormElement, field: string): string {
  const value = new FormData(form).get(field)
  return typeof value === 'string' ? value : ''
}

interface SegmentsProps<Value extends string> {
  readonly legend: string
  /** Label of every option, in order. */
  readonly names: Readonly<Record<Value, string>>
  /** Null if no option is selected. */
  readonly value: Value | null
  readonly disabled?: boolean
  readonly onChange: (value: Value) => void
}

/** Options side by side, one selected. */
export function Segments<Value extends string>(segments: SegmentsProps<Value>): JSX.Element {
  const { legend, names, value, disabled = false, onChange } = segments
  const group = useId()
  return (
    <fieldset class="segments" disabled={disabled}>
      <legend class="unseen">{legend}</legend>
      {(Object.entries(names) as [Value, string][]).map(([option, name]) => (
        <label key={option}>
          <input type="radio" name={group} checked={option === value} onChange={() => onChange(option)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface SwitchProps {
  /** Label for screen readers. */
  readonly label: string
  readonly on: boolean
  /** True while a change waits for its answer. */
  readonly pending?: boolean
  readonly disabled?: boolean
  /** True for lights, which have a warm colour while on. */
  readonly lit?: boolean
  readonly onChange: (on: boolean) => void
}

/** A switch that shows the confirmed state; it moves only after the answer. */
export function Switch({ label, on, pending = false, disabled, lit = false, onChange }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class={lit ? 'switch warm' : 'switch'}
      aria-label={label}
      aria-checked={on}
      aria-busy={pending}
      disabled={disabled ?? false}
      onClick={() => {
        if (!pending) onChange(!on)
      }}
    />
  )
}
