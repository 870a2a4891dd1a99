import type { MemberRecord, Persons } from '../auth/persons/persons.ts'
import type { Revocation } from '../auth/credentials/pending-revocations.ts'
import type { Person } from '../auth/persons/person.ts'
import type { Exposure, Integration } from '../exposure/integration.ts'
import type { Cause } from '../home/model/events.ts'
import type { ChangePart } from '../home/ports/activity-log.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { Result } from '../lib/result.ts'
import type { Refuse } from '../api/errors.ts'
import { byIntegration, exposureOf, holdDeleted } from './access.ts'
import type { AdminCall } from './dispatch.ts'
import type { consoleEndpoints } from './contract/console.ts'
import { type CredentialParts, groupRulesOf, type LostPermissions, lostPermissions } from './credentials.ts'

export interface MemberParts extends Pick<CredentialParts, 'integrations' | 'credentials' | 'house'> {
  readonly persons: Persons
  readonly rules: Pick<Rules, 'openers'>
}

export const NOTHING: Exposure = { expose: 'Selected', picks: [] }

type Creation = AdminCall<(typeof consoleEndpoints)['persons.create']>['body']

/** Makes the record of a new member, which reports the member's own presence; null for an administrator. */
export function recordFor(
  { name, member }: Creation,
  parts: MemberParts,
  cause: Cause,
  refuse: Refuse,
): ((person: string) => Result<MemberRecord, string>) | null {
  if (member === undefined) return null
  const { expose = ['all'], settings: knobs = {}, ...more } = member
  const exposure = exposureOf(expose, { house: parts.house, now: NOTHING }, refuse)
  const made = { ...more, name, exposure, knobs, kind: 'member' } as const
  return (person) => parts.integrations.creation({ ...made, reports: [person] }, cause)
}

/** Removal of a person: a member's record goes in the same change, and the rules that open by its leave go off. */
export function personRemoval(
  person: Person,
  parts: MemberParts,
  cause: Cause,
  released: () => readonly ChangePart[],
): { readonly revocation: Revocation; readonly ending: LostPermissions } {
  const record = person.integration === null ? undefined : parts.integrations.get(person.integration)
  if (record === undefined) return { revocation: parts.persons.revocation(person, cause, released), ending: {} }
  const authors = byIntegration(record.id)
  const also = (): readonly ChangePart[] => [
    ...released(),
    ...parts.rules.openers.switchOffDeleted(authors, cause),
    parts.integrations.removal(record, cause),
  ]
  const revocation = parts.persons.revocation(person, cause, also)
  return {
    revocation: withRecordHeld(revocation, record, parts),
    ending: { ...lostPermissions(authors, parts), ...groupRulesOf(authors, parts) },
  }
}

function withRecordHeld(revocation: Revocation, record: Integration, parts: MemberParts): Revocation {
  const hold = (): void => {
    holdDeleted(record, parts)
    revocation.hold?.()
  }
  return { ...revocation, hold }
}
