import type { JSX } from 'preact'
import { Told } from './told.tsx'

/** What was said against something that was tried; nothing where nothing was. */
export function Said({ of }: { readonly of: string | null }): JSX.Element | null {
  return of === null ? null : (
    <p role="alert">
      <Told>{of}</Told>
    </p>
  )
}
