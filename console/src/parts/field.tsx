import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { Told } from './told.tsx'

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
      {said !== null ? (
        <p id={about} role="alert">
          <Told>{said}</Told>
        </p>
      ) : (
        hint !== undefined && (
          <p id={about} class="hint">
            <Told>{hint}</Told>
          </p>
        )
      )}
    </div>
  )
}

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
