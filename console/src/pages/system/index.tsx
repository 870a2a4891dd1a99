import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Unread } from '../../parts/action.tsx'
import { Page } from '../../parts/page.tsx'
import { useEdges } from '../../parts/tabs.tsx'
import { useReading } from '../../stores/reading.ts'
import { words } from '../../words/system.ts'
import { About } from './about.tsx'
import { Certificates } from './certificates.tsx'
import { Failures } from './failures.tsx'
import { LogPart } from './log.tsx'
import { Operators } from './operators.tsx'
import { Persons } from './persons.tsx'
import { RelayPart } from './relay.tsx'
import { Sessions } from './sessions.tsx'
import { StatusPart } from './status.tsx'

/** Loaded when somebody goes there: it is as large as a page. */
function Backup(): JSX.Element {
  const { value, error, again } = useReading(() => import('../backup/index.tsx'))
  if (value !== null) return <value.BackupPart />
  return <Unread error={error} again={again} />
}

/** The parts of the page, in their order, by the last word of their path. */
const PARTS = [
  { id: 'status', name: words.status, shows: StatusPart },
  { id: 'backup', name: words.backup, shows: Backup },
  { id: 'certificates', name: words.certificates, shows: Certificates },
  { id: 'persons', name: words.persons, shows: Persons },
  { id: 'sessions', name: words.sessions, shows: Sessions },
  { id: 'relay', name: words.relay, shows: RelayPart },
  { id: 'operators', name: words.operators, shows: Operators },
  { id: 'failures', name: words.failures, shows: Failures },
  { id: 'log', name: words.log, shows: LogPart },
  { id: 'about', name: words.about, shows: About },
] as const

type Part = (typeof PARTS)[number]

/** The gateway itself: how it is doing, who administers it, and what it is trusted by. */
export function SystemPage({ part = 'status' }: { readonly part?: string }): JSX.Element {
  const chosen = PARTS.find(({ id }) => id === part) ?? PARTS[0]
  const Shown = chosen.shows
  return (
    <Page title={words.title}>
      <Strip chosen={chosen} />
      <List chosen={chosen} />
      <div class="system">
        <Shown />
      </div>
    </Page>
  )
}

const Links = ({ chosen }: { chosen: Part }): JSX.Element => (
  <>
    {PARTS.map(({ id, name }) => (
      <a key={id} href={`/console/system/${id}`} aria-current={id === chosen.id ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </>
)

function Strip({ chosen }: { chosen: Part }): JSX.Element {
  const strip = useEdges<HTMLElement>(chosen.id)
  return (
    <nav ref={strip} class="tabs" aria-label={words.parts}>
      <Links chosen={chosen} />
    </nav>
  )
}

/** On a phone, where two or three of them would fit side by side: which one it is, and all of them beneath. */
function List({ chosen }: { chosen: Part }): JSX.Element {
  const list = useRef<HTMLDetailsElement>(null)
  useEffect(() => list.current?.removeAttribute('open'), [chosen])
  return (
    <nav class="partlist" aria-label={words.parts}>
      <details ref={list}>
        <summary>{chosen.name}</summary>
        <Links chosen={chosen} />
      </details>
    </nav>
  )
}
