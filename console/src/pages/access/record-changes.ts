import type { Integration, IntegrationsChangeBody } from '../../admin-contract.ts'
import { readAccess } from '../../stores/access.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { discard, rebase } from './draft.ts'

/** Renames an integration; for seven seconds it can be taken back. @throws HmError */
export async function rename(stored: Integration, name: string): Promise<void> {
  await change(stored, { name })
  tell(words.renamed(name), () => change(stored, { name: stored.name }))
}

/** Enables or disables an integration; for seven seconds it can be taken back. @throws HmError */
export async function setEnabled(stored: Integration, enabled: boolean): Promise<void> {
  await change(stored, { enabled })
  const said = enabled ? words.enabledNow(stored.name) : words.disabledNow(stored.name)
  tell(said, () => change(stored, { enabled: !enabled }))
}

/** Deletes an integration with its credentials, and what was not saved of it. @throws HmError */
export async function remove({ id, name }: Integration): Promise<void> {
  await admin.call('delete', '/admin/v1/integrations/{id}', { path: { id } })
  discard(id)
  await readAccess()
  tell(words.deleted(name))
}

/** Stores a change at once; a draft that is under way goes on upon it. */
async function change({ id }: Integration, body: IntegrationsChangeBody): Promise<void> {
  const { integration } = await admin.call('patch', '/admin/v1/integrations/{id}', { path: { id }, body })
  rebase(integration)
  await readAccess()
}
