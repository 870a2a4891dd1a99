import type { Integration, IntegrationsChangeBody } from '../../lib/admin-contract.ts'
import { readIntegrations } from '../../stores/integrations.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { discard, rebaseFrom } from './draft.ts'

/** Renames an integration; for seven seconds it can be taken back. @throws HmError */
export async function rename(stored: Integration, name: string): Promise<void> {
  const renamed = await storeChange(stored, { name })
  tell(words.renamed(name), () => storeChange(renamed, { name: stored.name }))
}

/** Enables or disables an integration; for seven seconds it can be taken back. @throws HmError */
export async function setEnabled(stored: Integration, enabled: boolean): Promise<void> {
  const changed = await storeChange(stored, { enabled })
  const said = enabled ? words.enabledNow(stored.name) : words.disabledNow(stored.name)
  tell(said, () => storeChange(changed, { enabled: !enabled }))
}

/** Deletes an integration with its credentials, and what was not saved of it. @throws HmError */
export async function remove({ id, name }: Integration): Promise<void> {
  await admin.call('delete', '/admin/v1/integrations/{id}', { path: { id } })
  discard(id)
  await readIntegrations()
  tell(words.deleted(name))
}

/**
 * Stores a change at once, unless somebody has made another since; a draft of the same revision goes on upon it.
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
