import type { Requirement } from './requirement.ts'
import { DECISIONS } from './decisions.ts'
import { PAGES } from './pages.ts'
import { RELAY } from './relay.ts'
import { SPECIFICATION } from './specification.ts'

export const REQUIREMENTS: readonly Requirement[] = [...SPECIFICATION, ...DECISIONS, ...PAGES, ...RELAY]

const byId = new Map(REQUIREMENTS.map((one) => [one.id, one]))

/** The requirement with this id. @throws when there is none: a test cites what does not exist. */
export function requirement(id: string): Requirement {
  const found = byId.get(id)
  if (found === undefined) throw new Error(`There is no requirement "${id}"; test/requirements/ lists them.`)
  return found
}
