import { effect, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Integration } from '../../lib/admin-contract.ts'
import { Unread } from '../../parts/action.tsx'
import { Button, Chip, Empty, LinkButton, Page } from '../../parts/page.tsx'
import { integrations, integrationsProblem, readIntegrations } from '../../stores/integrations.ts'
import { onPushed } from '../../stores/pushed.ts'
import { admin, signedIn } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { credentialSummary, exposureSummary, LastUse, latestUse, liveCredentials } from './credentials.tsx'
import { discardAll, hasDraft } from './draft.ts'
import { NameDialog, Record } from './record.tsx'

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
        <Unread error={integrationsProblem.value} again={() => void readIntegrations()} says={common.loading} />
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
        <LinkButton to="/console/access" says={words.toList} />
      </Empty>
    </Page>
  )
}

/** All integrations: what each sees, who comes in by it, and when somebody did. */
function IntegrationList({ integrations }: { readonly integrations: readonly Integration[] }): JSX.Element {
  const isAdding = useSignal(false)
  const { route } = useLocation()
  const add = async (name: string): Promise<void> => {
    const { integration } = await admin.call('post', '/admin/v1/integrations', { body: { name } })
    await readIntegrations()
    route(`/console/access/${integration.id}`)
  }
  const button = <Button class="main" icon="add" says={words.add} onClick={() => (isAdding.value = true)} />
  return (
    <Page title={common.access} beside={integrations.length > 0 && button}>
      {integrations.length === 0 ? (
        <Empty icon="key" sentence={words.none}>
          {button}
        </Empty>
      ) : (
        <>
          <p class="muted">{words.about}</p>
          <ul class="integrations">
            {integrations.map((each) => (
              <IntegrationCard key={each.id} integration={each} />
            ))}
          </ul>
        </>
      )}
      {isAdding.value && (
        <NameDialog
          title={words.add}
          hint={words.createAbout}
          verb={words.create}
          onName={add}
          onClose={() => (isAdding.value = false)}
        />
      )}
    </Page>
  )
}

function IntegrationCard({ integration }: { readonly integration: Integration }): JSX.Element {
  const { id, name, enabled, credentials } = integration
  return (
    <li>
      <a class={enabled ? 'integration' : 'integration off'} href={`/console/access/${id}`}>
        <span class="head">
          <span class="name">{name}</span>
          {!enabled && <Chip icon="ban">{words.disabled}</Chip>}
          {hasDraft(id) && <Chip tone="warn">{words.unsaved}</Chip>}
          {credentials.some(({ stale, state }) => stale && state !== 'ended') && (
            <Chip tone="warn" icon="clock" says={words.stale} />
          )}
        </span>
        <span>{exposureSummary(integration.expose)}</span>
        <span class="muted">
          {credentialSummary(credentials)}
          {liveCredentials(credentials).length > 0 && (
            <>
              {' · '}
              <LastUse used={latestUse(credentials)} />
            </>
          )}
        </span>
      </a>
    </li>
  )
}
