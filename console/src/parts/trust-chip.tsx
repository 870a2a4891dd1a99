import type { JSX } from 'preact'
import { about, trust } from '../stores/about.ts'
import { words as entry } from '../words/entry.ts'
import { words } from '../words/trust.ts'
import { Chip } from './page.tsx'

/** Whether this browser checks who the gateway is; it leads to how it comes to. Nothing while that is not known. */
export function TrustChip({ quiet = false }: { readonly quiet?: boolean }): JSX.Element | null {
  if (trust.value === 'trying' || trust.value === 'unknown' || (quiet && trust.value === 'verified')) return null
  if (trust.value === 'verified') return <Chip tone="ok" icon="shield" says={words.verified} />
  return (
    <a class="chiplink" href="/console/trust">
      <Chip tone="warn" icon="alert" says={words.notVerified} />
    </a>
  )
}

/** A fingerprint in groups of four pairs, to be compared with another by eye. */
export function Fingerprint({ of }: { readonly of: string }): JSX.Element {
  const groups = of.match(/(?:[0-9A-F]{2}:?){1,4}/g) ?? [of]
  return (
    <code class="fingerprint">
      {groups.map((group) => (
        <span key={group}>{group}</span>
      ))}
    </code>
  )
}

/** Why no passkey works at this page, with the way to where they do. */
export function NoPasskeysHere(): JSX.Element | null {
  const known = about.value
  if (known === null) return null
  if (known.passkeys) return <p class="hint">{entry.noPasskeysInBrowser}</p>
  const elsewhere = `https://${known.name}${location.port === '' ? '' : `:${location.port}`}/console/`
  return (
    <p class="hint">
      {entry.noPasskeysHere} <a href={elsewhere}>{elsewhere}</a>
    </p>
  )
}
