import { keptReading } from './kept-reading.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

const reading = keptReading(async () => (await admin.call('get', '/admin/v1/integrations')).integrations)

/** All integrations with their credentials, kept right while somebody looks at them; null before they were read. */
export const integrations = reading.value
/** Why they could not be read. */
export const integrationsProblem = reading.problem
/** Reads them again, also for who has just changed them. */
export const readIntegrations = reading.read

// Somebody changed them here, in another console or by `bin/hm`.
onPushed('access', reading.readIfShown)
