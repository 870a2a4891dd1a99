import type { AccessChange } from '../../exposure/access-change.ts'
import type { Integration, IntegrationReader } from '../../exposure/integration.ts'

/** Somebody who administers the home by name: in the activity, changes of theirs are theirs. */
export interface Person {
  readonly id: string
  /** Unlike any other's, in whatever case. */
  readonly name: string
  /** Argon2id with its salt and costs (`password.ts`); null: there is none. */
  readonly password: string | null
  /** Epoch ms. */
  readonly createdAt: number
}

/** Persons of one home. */
export const PERSONS_MAX = 50
/** Also of the ids of sessions: they are remembered as ended as those of credentials are (Spec 5 point 2). */
export const PERSON_ID_LENGTH = 10

/** Under it the set-up code of the label is remembered as ended, from the first administrator on. */
export const SETUP_CODE_ID = 'setup0code'

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface PersonStore {
  get(id: string): Person | undefined
  list(): readonly Person[]
  insert(person: Person): void
  setPassword(id: string, password: string): void
  /** Removes a person with all sessions of theirs. */
  remove(id: string): void
  /** They count as gone from now on although they are stored; outside of a change. */
  hold(ids: readonly string[]): void
}

/** In no list, and never the id of an integration: those are random. */
export const OWNER_ID = '00000000-0000-0000-0000-000000000000'

/** Administrators or their access changed: open channels of the owner are checked again. */
export const OWNER_CHANGED: AccessChange = { integration: OWNER_ID, deleted: false }

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
