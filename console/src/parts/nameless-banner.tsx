import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { comesBack, session } from '../stores/person.ts'
import { words } from '../words/entry.ts'
import { Icon } from './icon.tsx'

/** Kept for this window, so that nobody is asked twice. */
const LATER = 'hm-later'

/**
 * Asks who came in by a link for a name, which may wait; and who has one for a password or a passkey, until there is
 * one: without them nobody comes back.
 */
export function NamelessBanner(): JSX.Element | null {
  const later = useSignal(sessionStorage.getItem(LATER) !== null)
  if (session.value === null || comesBack.value) return null
  const isNameless = session.value.person === null
  if (isNameless && later.value) return null
  return (
    <section class="banner nameless" aria-label={isNameless ? words.giveName : words.wayBack}>
      <Icon of="person" />
      <span class="grow">{words.noWayBack}</span>
      <a class="button" href="/console/system/persons">
        {isNameless ? words.giveName : words.setWayBack}
      </a>
      {isNameless && (
        <button
          type="button"
          class="quiet round"
          aria-label={words.later}
          title={words.later}
          onClick={() => {
            sessionStorage.setItem(LATER, 'yes')
            later.value = true
          }}
        >
          <Icon of="close" />
        </button>
      )}
    </section>
  )
}
