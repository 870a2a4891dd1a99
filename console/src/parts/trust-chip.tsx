import type { JSX } from 'preact'
import { trust } from '../stores/trust.ts'
import { words } from '../words/trust.ts'
import { Chip } from './chip.tsx'

/** Whether this browser checks who the gateway is; it leads to how it comes to. Nothing while that is not known. */
export function TrustChip({ quiet = false }: { readonly quiet?: boolean }): JSX.Element | null {
  if (trust.value === 'trying' || trust.value === 'unknown' || (quiet && trust.value === 'verified')) return null
  if (trust.value === 'verified')
    return (
      <Chip tone="ok" icon="shield">
        {words.verified}
      </Chip>
    )
  return (
    <a class="chiplink" href="/console/trust">
      <Chip tone="warn" icon="alert">
        {words.notVerified}
      </Chip>
    </a>
  )
}
