import { onAdminTopic } from './admin-topics.ts'
import { isAdministrator } from './own-session.ts'
import { admin } from './session.ts'
import { sharedResource } from './shared-resource.ts'

const resource = sharedResource(async () =>
  isAdministrator.peek() ? (await admin.call('get', '/admin/v1/integrations')).integrations : [],
)

/** All integrations with their credentials, current while a page shows them; null before the first answer. */
export const integrations = resource.value
/** Error of the last request; null if it succeeded. */
export const integrationsError = resource.error
/** Reloads the integrations, for instance after a change on this page. */
export const readIntegrations = resource.reload

// Other consoles and `bin/hm` change integrations too.
onAdminTopic('access', resource.reloadIfShown)
