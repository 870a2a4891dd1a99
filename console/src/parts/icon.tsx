import type { JSX } from 'preact'
import { type IconName, icons } from './icons.ts'

/** A picture beside words that say the same; it is nothing to those who listen. */
export function Icon({ of }: { readonly of: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={icons[of]} />
    </svg>
  )
}
