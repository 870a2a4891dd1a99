import type { Integration, IntegrationReader } from '../../exposure/integration.ts'

/** In no list, and never the id of an integration: those are random. */
export const OWNER_ID = '00000000-0000-0000-0000-000000000000'

/**
 * What people see and may do who administer the home: all of it. The public contract is served to them under this
 * record (docs/console.md#the-home), so that there is one set of rules.
 */
export const OWNER: Integration = {
  id: OWNER_ID,
  name: 'Console',
  enabled: true,
  exposure: { expose: 'All' },
  knobs: {
    advanced_config: 'read_write',
    structural: 'on',
    automations: 'on',
    schedules: 'on',
    agent_access: 'off',
    cloud_access: 'off',
    mdns: 'off',
    allow_unlock: 'on',
  },
  createdAt: 0,
}

/** The integrations as stored, and the owner's record beside them by its id alone. */
export function withOwner(
  stored: Pick<IntegrationReader, 'get' | 'version'>,
): Pick<IntegrationReader, 'get' | 'version'> {
  return {
    get: (id) => (id === OWNER_ID ? OWNER : stored.get(id)),
    get version() {
      return stored.version
    },
  }
}
