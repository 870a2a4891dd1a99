import type { JSX } from 'preact'
import { Field } from '../../parts/form.tsx'

/** A field for a new password. */
export const NewPassword = (field: Omit<Parameters<typeof Field>[0], 'name' | 'type'>): JSX.Element => (
  <Field name="password" type="password" autocomplete="new-password" minLength={10} maxLength={256} {...field} />
)
