import type { JSX } from 'preact'
import { about, trust } from '../stores/public-facts.ts'
import { words as entry } from '../words/entry.ts'
import { Chip } from './page.tsx'

/** Shows whether this browser trusts the gateway, with a link to the instructions. Hidden while unfacts. */
export function TrustChip({ quiet = false }: { readonly quiet?: boolean }): JSX.Element | null {
  if (trust.value === 'trying' || trust.value === 'unknown' || (quiet && trust.value === 'verified')) return null
  if (trust.value === 'verified') return <Chip tone="ok" icon="shield" label={entry.verified} />
  return (
    <a class="chiplink" href="/console/trust">
      <Chip tone="warn" icon="alert" label={entry.notVerified} />
    </a>
  )
}

/** A fingerprint in groups of four pairs, for comparison by eye. */
export function Fingerprint({ value }: { readonly value: string }): JSX.Element {
  const groups = value.match(/(?:[0-9A-F]{2}:?){1,4}/g) ?? [value]
  return (
    <code class="fingerprint">
      {groups.map((group) => (
        <span key={group}>{group}</span>
      ))}
    </code>
  )
}

/** Explains why passkeys do not work at this address, with a link to the address where they do. */
export function NoPasskeysHere(): JSX.Element | null {
  const facts = about.value
  if (facts === null) return null
  if (facts.passkeys) return <p class="hint">{entry.noPasskeysInBrowser}</p>
  const elsewhere = `https://${facts.name}${location.port === '' ? '' : `:${location.port}`}/console/`
  return (
    <p class="hint">
      {entry.noPasskeysHere} <a href={elsewhere}>{elsewhere}</a>
    </p>
  )
}
