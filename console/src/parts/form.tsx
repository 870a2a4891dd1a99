import type { ComponentChildren, JSX, TargetedSubmitEvent } from 'preact'
import { useId } from 'preact/hooks'
import { words } from '../words/frame.ts'
import { Told } from './action.tsx'
import { Button } from './page.tsx'

/** Handles the sending of a form. */
export const sending =
  (send: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    send(event.currentTarget)
  }

interface FormProps {
  /** What its main button says. */
  readonly verb: string
  readonly busy: boolean
  readonly onSubmit: (form: HTMLFormElement) => unknown
  /** The way out of it, which no form needs that stands in a page. */
  readonly onCancel?: () => void
  /** What that is called: `Cancel` unless said. */
  readonly cancel?: string
  readonly children: ComponentChildren
}

/** Fields that are sent together, over the button that sends them. */
export function Form({ verb, busy, onSubmit, onCancel, cancel = words.cancel, children }: FormProps): JSX.Element {
  return (
    <form onSubmit={sending(onSubmit)}>
      {children}
      <div class="actions">
        {onCancel && <Button says={cancel} onClick={onCancel} />}
        <button type="submit" class="main" aria-disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  )
}

type Input = JSX.IntrinsicElements['input']
type Typed = 'autocomplete' | 'inputMode' | 'maxLength' | 'minLength' | 'onInput' | 'placeholder' | 'spellcheck'
type Any = 'defaultValue' | 'disabled' | 'name' | 'required' | 'value'

interface FieldProps extends Pick<Input, Typed | Any> {
  /** `password`: what is typed is not shown. */
  readonly type?: 'text' | 'password'
  readonly label: string
  /** One sentence that helps to fill it in. */
  readonly hint?: string | undefined
  /** Why what was given cannot be taken. */
  readonly said?: string | null
}

/** A line to type into, with its label above it. */
export function Field({ label, hint, said = null, type = 'text', ...input }: FieldProps): JSX.Element {
  const id = useId()
  const about = said !== null || hint !== undefined ? `${id}-about` : undefined
  const all = { ...input, id, 'aria-describedby': about, 'aria-invalid': said !== null || undefined }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? <input {...all} type="password" /> : <input {...all} type="text" />}
      {said === null && hint !== undefined && (
        <p id={about} class="hint">
          <Told>{hint}</Told>
        </p>
      )}
      {said !== null && (
        <p id={about} role="alert">
          <Told>{said}</Told>
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

/** A choice from a list that unfolds, with its label above it. */
export function Select({ label, value, options, onChoose }: SelectProps): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The line for a name that somebody gives. */
export const NameField = (field: Omit<FieldProps, 'label'>): JSX.Element => (
  <Field label={words.name} name="name" autocomplete="off" maxLength={64} required {...field} />
)

interface CheckProps extends Pick<Input, 'checked' | 'defaultChecked' | 'disabled' | 'name' | 'onChange' | 'required'> {
  readonly children: ComponentChildren
}

/** A box to tick, with its sentence beside it; all of it can be touched. */
export function Check({ children, ...input }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input {...input} type="checkbox" />
      <span>{children}</span>
    </label>
  )
}

/** What was typed into a field of a form. */
export function textOf(form: HTMLFormElement, field: string): string {
  const value = new FormData(form).get(field)
  return typeof value === 'string' ? value : ''
}

interface SegmentsProps<Value extends string> {
  readonly legend: string
  /** Names of the choices, in their order. */
  readonly names: Readonly<Record<Value, string>>
  /** Null: none of them is known to hold. */
  readonly value: Value | null
  readonly disabled?: boolean
  readonly onChange: (value: Value) => void
}

/** One of a few, side by side. */
export function Segments<Value extends string>(segments: SegmentsProps<Value>): JSX.Element {
  const { legend, names, value, disabled = false, onChange } = segments
  const group = useId()
  return (
    <fieldset class="segments" disabled={disabled}>
      <legend class="unseen">{legend}</legend>
      {(Object.entries(names) as [Value, string][]).map(([each, name]) => (
        <label key={each}>
          <input type="radio" name={group} checked={each === value} onChange={() => onChange(each)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

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
