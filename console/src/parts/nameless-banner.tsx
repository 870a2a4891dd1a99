import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { nobodyByName, session } from '../stores/person.ts'
import { words } from '../words/entry.ts'
import { Icon } from './icon.tsx'

/** Kept for this window, so that nobody is asked twice. */
const LATER = 'hm-later'

/** Asks who came in by a link for a name; it may wait. */
export function NamelessBanner(): JSX.Element | null {
  const later = useSignal(sessionStorage.getItem(LATER) !== null)
  if (session.value === null || session.value.person !== null || later.value) return null
  return (
    <section class="banner nameless" aria-label={words.giveName}>
      <Icon of="person" />
      <span class="grow">{words.nameless}</span>
      <a class="button" href="/console/system/persons">
        {words.giveName}
      </a>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          sessionStorage.setItem(LATER, 'yes')
          later.value = true
        }}
      >
        {words.later}
      </button>
      {nobodyByName.value && (
        <a class="button quiet" href="/console/system/backup?restore=file">
          {words.restoreHere}
        </a>
      )}
    </section>
  )
}
