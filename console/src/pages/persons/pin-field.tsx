import type { JSX } from 'preact'
import { Field } from '../../parts/form.tsx'

interface PinFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | null
  readonly required?: boolean
}

/** A field for six digits. */
export const PinField = (field: PinFieldProps): JSX.Element => (
  <Field name="pin" autocomplete="off" inputMode="numeric" minLength={6} maxLength={6} {...field} />
)
