import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { connected, house, signOut } from '../stores/home.ts'
import { person } from '../stores/person.ts'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/frame.ts'
import { Chip } from './chip.tsx'
import { Icon } from './icon.tsx'
import { Search } from './search.tsx'
import { TrustChip } from './trust-chip.tsx'

/** The header: whose home it is, whether what is shown is live, what waits for a word, and who is here. */
export function Top(): JSX.Element {
  return (
    <header class="top">
      <a class="house" href="/console/" dir="auto" title={house.value?.house}>
        {house.value?.house ?? ''}
      </a>
      <Search />
      <TrustChip quiet />
      <Connection />
      <Waiting />
      <Person />
    </header>
  )
}

function Connection(): JSX.Element {
  return connected.value ? (
    <span class="live">{words.live}</span>
  ) : (
    <Chip tone="danger" icon="unreachable">
      {words.notLive}
    </Chip>
  )
}

/** How many wait for a person's word. */
function Waiting(): JSX.Element {
  const count = requests.value.length + confirmations.value.length
  return (
    <a class="round" href="/console/approvals" aria-label={words.waiting(count)}>
      <Icon of="waiting" />
      {count > 0 && <span class="count">{count}</span>}
    </a>
  )
}

function Person(): JSX.Element {
  const name = person.value ?? ''
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <button type="button" class="quiet round" popovertarget="person" aria-label={words.person(name)}>
        <Icon of="person" />
      </button>
      <div ref={menu} id="person" class="menu" popover="auto" onClick={() => menu.current?.hidePopover()}>
        <p>{name}</p>
        <a href="/console/system/sessions">
          <Icon of="phone" />
          {words.sessions}
        </a>
        <button type="button" onClick={() => void signOut()}>
          <Icon of="signOut" />
          {words.signOut}
        </button>
      </div>
    </>
  )
}
