import type { JSX } from 'preact'
import { ownDeviceUnasked } from '../stores/arrival.ts'
import { session, setOwnDevice } from '../stores/person.ts'
import { words } from '../words/entry.ts'
import { useAction } from './action.ts'
import { Icon } from './icon.tsx'

/** Asks who came in by a link in the address, where nobody was asked, whether this is a device of their own. */
export function OwnDeviceBanner(): JSX.Element | null {
  const { run, busy, said } = useAction(async () => {
    await setOwnDevice(true)
    ownDeviceUnasked.value = false
  })
  // Whoever has no name yet is asked for both at once.
  if (!ownDeviceUnasked.value || session.value === null || session.value.person === null) return null
  return (
    <section class="banner own" aria-label={words.staySignedIn}>
      <Icon of="phone" />
      <span class="grow">{said ?? words.isOwnDevice}</span>
      <button type="button" aria-disabled={busy} onClick={() => void run()}>
        {words.staySignedIn}
      </button>
      <button type="button" class="quiet" onClick={() => (ownDeviceUnasked.value = false)}>
        {words.notOwnDevice}
      </button>
    </section>
  )
}
