import { effect, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Integration } from '../../lib/admin-contract.ts'
import { Loading } from '../../parts/action.tsx'
import { Button, Chip, Empty, LinkButton, Page } from '../../parts/page.tsx'
import { integrations, integrationsError, readIntegrations } from '../../stores/integrations.ts'
import { onAdminTopic } from '../../stores/admin-topics.ts'
import { admin, signedIn } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/page-frame.ts'
import { credentialSummary, exposureSummary, LastUse, latestUse, liveCredentials } from './credentials.tsx'
import { discardAll, hasDraft } from './draft.ts'
import { Closed } from './times-editor.tsx'
import { IntegrationPage, NameDialog } from './integration-page.tsx'

// Unsaved drafts belong to the person who signed out.
effect(() => {
  if (signedIn.value === false) discardAll()
})

/** All integrations, or the page of one. */
export function AccessPage({ integration: id }: { readonly integration?: string }): JSX.Element {
  // No event reports the last use of a credential.
  useEffect(() => onAdminTopic('status', () => void readIntegrations()), [])
  const all = integrations.value
  if (all === null)
    return (
      <Page title={common.access}>
        <Loading error={integrationsError.value} reload={() => void readIntegrations()} label={common.loading} />
      </Page>
    )
  if (id === undefined) return <IntegrationList integrations={all} />
  const integration = all.find((candidate) => candidate.id === id)
  return integration === undefined ? <NotFound /> : <IntegrationPage key={id} stored={integration} />
}

/** Shown for deleted integrations. */
function NotFound(): JSX.Element {
  return (
    <Page title={common.access}>
      <Empty icon="key" sentence={words.unknown}>
        <LinkButton to="/console/access" label={words.toList} />
      </Empty>
    </Page>
  )
}

function IntegrationList({ integrations }: { readonly integrations: readonly Integration[] }): JSX.Element {
  const isAdding = useSignal(false)
  const { route } = useLocation()
  const add = async (name: string): Promise<void> => {
    const { integration } = await admin.call('post', '/admin/v1/integrations', { body: { name } })
    await readIntegrations()
    route(`/console/access/${integration.id}`)
  }
  const button = <Button class="main" icon="add" label={words.add} onClick={() => (isAdding.value = true)} />
  return (
    <Page title={common.access} aside={integrations.length > 0 && button}>
      {integrations.length === 0 ? (
        <Empty icon="key" sentence={words.none}>
          {button}
        </Empty>
      ) : (
        <>
          <p class="muted">{words.about}</p>
          <ul class="integrations">
            {integrations.map((integration) => (
              <IntegrationCard key={integration.id} integration={integration} />
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
          {integration.kind === 'member' && <Chip icon="person">{words.recordOf(name)}</Chip>}
          {integration.kind === 'tablet' && <Chip icon="home">{words.ofTablet}</Chip>}
          {!enabled && <Chip icon="ban">{words.disabled}</Chip>}
          <Closed integration={integration} />
          {hasDraft(id) && <Chip tone="warn">{words.unsaved}</Chip>}
          {credentials.some(({ stale, state }) => stale && state !== 'ended') && (
            <Chip tone="warn" icon="clock" label={words.stale} />
          )}
        </span>
        <span>{exposureSummary(integration.expose)}</span>
        <span class="muted">
          {integration.kind === 'programs' && credentialSummary(credentials)}
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
