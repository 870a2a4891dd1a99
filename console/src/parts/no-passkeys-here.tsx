import type { JSX } from 'preact'
import { about } from '../stores/about.ts'
import { words } from '../words/entry.ts'

/** Why no passkey works at this page, with the way to where they do. */
export function NoPasskeysHere(): JSX.Element | null {
  const known = about.value
  if (known === null) return null
  if (known.passkeys) return <p class="hint">{words.noPasskeysInBrowser}</p>
  const elsewhere = `https://${known.name}${location.port === '' ? '' : `:${location.port}`}/console/`
  return (
    <p class="hint">
      {words.noPasskeysHere} <a href={elsewhere}>{elsewhere}</a>
    </p>
  )
}
