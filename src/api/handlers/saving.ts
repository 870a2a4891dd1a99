import type { Identity } from '../../auth/authenticator.ts'
import type { Origin } from '../../home/model/house.ts'
import type { Problem } from '../../home/rules/problems.ts'
import type { Refuse } from '../errors.ts'

/** Who saves something through the API. */
export function originOf({ integration, credential }: Identity): Origin {
  return { integration: integration.id, link: credential.link }
}

export function refuseStale(current: number, refuse: Refuse<'revision_mismatch'>): never {
  return refuse('revision_mismatch', {
    message: `It was changed meanwhile: its revision is now ${current}. Read it again and redo the edit.`,
  })
}

export function refuseProblem(problem: Problem | null, refuse: Refuse): void {
  if (problem) refuse('validation', { message: `${problem.field}: ${problem.message}.` })
}
