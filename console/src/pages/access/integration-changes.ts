import type { Integration, IntegrationsChangeBody } from '../../lib/admin-contract.ts'
import { readIntegrations } from '../../stores/integrations.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { discard, rebaseFrom } from './draft.ts'

/** Renames an integration, with Undo. @throws HmError */
export async function rename(stored: Integration, name: string): Promise<void> {
  const renamed = await storeChange(stored, { name })
  showNotice(words.renamed(name), () => storeChange(renamed, { name: stored.name }))
}

/** Enables or disables an integration, with Undo. @throws HmError */
export async function setEnabled(stored: Integration, enabled: boolean): Promise<void> {
  const changed = await storeChange(stored, { enabled })
  const text = enabled ? words.enabledNow(stored.name) : words.disabledNow(stored.name)
  showNotice(text, () => storeChange(changed, { enabled: !enabled }))
}

/** Deletes an integration with its credentials and its draft. @throws HmError */
export async function remove({ id, name }: Integration): Promise<void> {
  await admin.call('delete', '/admin/v1/integrations/{id}', { path: { id } })
  discard(id)
  await readIntegrations()
  showNotice(words.deleted(name))
}

/**
 * Saves a change at once, unless another person changed the integration. A draft of the same revision is rebased.
 *
 * @throws HmError
 */
export async function storeChange({ id, revision }: Integration, change: IntegrationsChangeBody): Promise<Integration> {
  const body = { ...change, ifRevision: revision }
  try {
    const { integration } = await admin.call('patch', '/admin/v1/integrations/{id}', { path: { id }, body })
    rebaseFrom(revision, integration)
    return integration
  } finally {
    await readIntegrations()
  }
}
