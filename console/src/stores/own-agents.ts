import type { Credential } from '../lib/admin-contract.ts'
import { onAdminTopic } from './admin-topics.ts'
import { admin } from './session.ts'
import { sharedResource } from './shared-resource.ts'

const resource = sharedResource(async () => (await admin.call('get', '/admin/v1/agents')).agents)

/** Agents of the member's record, current while a page shows them; null before the first answer. */
export const ownAgents = resource.value

/** Ends an agent. @throws HmError */
export async function endAgent({ link }: Pick<Credential, 'link'>): Promise<void> {
  await admin.call('delete', '/admin/v1/agents/{id}', { path: { id: link } })
  await resource.reload()
}

onAdminTopic('access', resource.reloadIfShown)
