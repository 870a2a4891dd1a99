import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { onDemand } from '../../parts/on-demand.tsx'
import { Page } from '../../parts/page.tsx'
import { useTabStrip } from '../../parts/tabs.tsx'
import { words } from '../../words/system.ts'
import { About } from './about.tsx'
import { Certificates } from './certificates.tsx'
import { Failures } from './failures.tsx'
import { LogPart } from './log.tsx'
import { Operators } from './operators.tsx'
import { RelayPart } from './relay.tsx'
import { Sessions } from './sessions.tsx'
import { StatusPart } from './status.tsx'

const Backup = onDemand(async () => (await import('../backup/index.tsx')).BackupPart)
const Persons = onDemand(async () => (await import('../persons/index.tsx')).Persons)

/** Parts of the page in order; the id is the last segment of the path. */
const PARTS = [
  { id: 'status', name: words.status, component: StatusPart },
  { id: 'backup', name: words.backup, component: Backup },
  { id: 'certificates', name: words.certificates, component: Certificates },
  { id: 'persons', name: words.persons, component: Persons },
  { id: 'sessions', name: words.sessions, component: Sessions },
  { id: 'relay', name: words.relay, component: RelayPart },
  { id: 'operators', name: words.operators, component: Operators },
  { id: 'failures', name: words.failures, component: Failures },
  { id: 'log', name: words.log, component: LogPart },
  { id: 'about', name: words.about, component: About },
] as const

type SystemPart = (typeof PARTS)[number]

/** Status and administration of the gateway. */
export function SystemPage({ part = 'status' }: { readonly part?: string }): JSX.Element {
  const chosen = PARTS.find(({ id }) => id === part) ?? PARTS[0]
  const Part = chosen.component
  return (
    <Page title={words.title}>
      <TabStrip chosen={chosen} />
      <PhoneMenu chosen={chosen} />
      <div class="system">
        <Part />
      </div>
    </Page>
  )
}

const Links = ({ chosen }: { chosen: SystemPart }): JSX.Element => (
  <>
    {PARTS.map(({ id, name }) => (
      <a key={id} href={`/console/system/${id}`} aria-current={id === chosen.id ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </>
)

function TabStrip({ chosen }: { chosen: SystemPart }): JSX.Element {
  const strip = useTabStrip<HTMLElement>(chosen.id)
  return (
    <nav ref={strip} class="tabs" aria-label={words.parts}>
      <Links chosen={chosen} />
    </nav>
  )
}

/** Folded list of the parts on phones, where tabs would not fit. */
function PhoneMenu({ chosen }: { chosen: SystemPart }): JSX.Element {
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
