import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { Integration } from '../../lib/admin-contract.ts'
import { Chip } from '../../parts/chip.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { hasDraft } from './draft.ts'
import { LastUse } from './last-use.tsx'
import { NameDialog } from './name-dialog.tsx'
import { credentialSummary, exposureSummary, latestUse, liveCredentials } from './summaries.ts'

/** All integrations: what each sees, who comes in by it, and when somebody did. */
export function IntegrationList({ integrations }: { readonly integrations: readonly Integration[] }): JSX.Element {
  const isAdding = useSignal(false)
  const { route } = useLocation()
  const add = async (name: string): Promise<void> => {
    const { integration } = await admin.call('post', '/admin/v1/integrations', { body: { name } })
    await readIntegrations()
    route(`/console/access/${integration.id}`)
  }
  const button = (
    <button type="button" class="main" onClick={() => (isAdding.value = true)}>
      <Icon of="add" />
      {words.add}
    </button>
  )
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
            <Chip tone="warn" icon="clock">
              {words.stale}
            </Chip>
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
