import type { Identity } from '../../auth/authenticator.ts'
import type { Author } from '../../home/model/house.ts'
import type { Problem } from '../../home/rules/problems.ts'
import type { Refuse } from '../errors.ts'

/** Who saves something through the API; null: a person, whose leave nothing takes back. */
export function originOf({ integration, credential, person }: Identity): Author {
  return person === undefined ? { integration: integration.id, link: credential.link } : null
}

export function refuseStale(current: number, refuse: Refuse<'revision_mismatch'>): never {
  return refuse('revision_mismatch', {
    message: `It was changed meanwhile: its revision is now ${current}. Read it again and redo the edit.`,
  })
}

export function refuseProblem(problem: Problem | null, refuse: Refuse): void {
  if (problem) refuse('validation', { message: `${problem.field}: ${problem.message}.` })
}
