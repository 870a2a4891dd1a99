import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { integrations, integrationsProblem, readIntegrations } from '../../stores/integrations.ts'
import { onPushed } from '../../stores/pushed.ts'
import { signedIn } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { discardAll } from './draft.ts'
import { IntegrationList } from './list.tsx'
import { Record } from './record.tsx'

// What somebody has not saved is theirs alone.
effect(() => {
  if (signedIn.value === false) discardAll()
})

/** What programs see of the home and may do: all integrations, or one of them. */
export function AccessPage({ integration: id }: { readonly integration?: string }): JSX.Element {
  // Nobody tells when a credential was used last.
  useEffect(() => onPushed('status', () => void readIntegrations()), [])
  const all = integrations.value
  if (all === null)
    return (
      <Page title={common.access}>
        {integrationsProblem.value === null ? (
          <p class="wait">{common.loading}</p>
        ) : (
          <Problem error={integrationsProblem.value} onAgain={() => void readIntegrations()} />
        )}
      </Page>
    )
  if (id === undefined) return <IntegrationList integrations={all} />
  const one = all.find((each) => each.id === id)
  return one === undefined ? <Gone /> : <Record key={id} stored={one} />
}

/** Where an integration was that somebody has deleted. */
function Gone(): JSX.Element {
  return (
    <Page title={common.access}>
      <Empty icon="key" sentence={words.unknown}>
        <a class="button" href="/console/access">
          {words.toList}
        </a>
      </Empty>
    </Page>
  )
}
