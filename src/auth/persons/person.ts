import type { AccessChange } from '../../exposure/access-change.ts'
import type { Integration, IntegrationReader } from '../../exposure/integration.ts'

/** A person with an account; the activity shows their name with their changes. */
export interface Person {
  readonly id: string
  /** Unique, ignoring case. */
  readonly name: string
  /** Password hash with salt and costs (`password.ts`), or null. */
  readonly password: string | null
  /** True if a new browser needs a code of a signed-in one beside the password; missing: false. */
  readonly twoFactors?: boolean
  /** Epoch ms. */
  readonly createdAt: number
  /** Record of a member of the home; null for an administrator. It never changes. */
  readonly integration: string | null
}

export const isAdministrator = ({ integration }: Pick<Person, 'integration'>): boolean => integration === null

/** Most persons of one home. */
export const PERSONS_MAX = 50
/**
 * Length of ids of persons, passkeys and sessions. Ended ids are remembered as for credentials (Spec 5 point 2).
 */
export const PERSON_ID_LENGTH = 10

/** Id that marks the label's set-up code as ended, once the first administrator exists. */
export const SETUP_CODE_ID = 'setup0code'

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface PersonStore {
  get(id: string): Person | undefined
  list(): readonly Person[]
  insert(person: Person): void
  setPassword(id: string, password: string): void
  setTwoFactors(id: string, twoFactors: boolean): void
  /** Removes a person with their sessions. */
  remove(id: string): void
  /** Treats these as removed although they are still stored; runs outside a change. */
  hold(ids: readonly string[]): void
}

/** Id of the owner's integration, which appears in no list. Ids of stored integrations are random. */
export const OWNER_ID = '00000000-0000-0000-0000-000000000000'

/** Change of administrators or their access; the owner's open channels are then checked again. */
export const OWNER_CHANGED: AccessChange = { integration: OWNER_ID, deleted: false }

/**
 * Integration of the administrators, with access to everything. The console uses the public API with it, so the same
 * rules apply (docs/console.md#the-home).
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
    may_tell: 'on',
  },
  people: 'each',
  createdAt: 0,
}

/** Adds the owner's integration to the stored ones, found only by its id. */
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
