import { fail, ok, type Result } from '../lib/result.ts'
import { ANYONE, type HomePerson } from './model/presence.ts'
import { mapParts, referencesOf } from './model/rule-parts.ts'
import type { RuleFile } from './rules/rule-file.ts'

type People = ReadonlyMap<string, HomePerson>

/** The rules of a file, the names of their persons, and references to removed ones. */
interface RulesWithPeople {
  readonly rules: RuleFile
  readonly people: readonly HomePerson[]
  readonly missing: ReadonlySet<string>
}

const SECTIONS = ['automations', 'schedules'] as const

/** The persons of a home whom rules name. */
export function peopleIn(rules: RuleFile, people: People): readonly HomePerson[] {
  const named = new Set(SECTIONS.flatMap((section) => rules[section].flatMap((rule) => [...referencesOf(rule).people])))
  return [...people.values()].filter(({ id }) => named.has(id))
}

/**
 * The rules of a file for a home: a person of another home becomes the one with the same name. The error is a sentence
 * about a person who has no account here.
 */
export function withOwnPeople(
  { rules, people: named, missing: removed }: RulesWithPeople,
  people: People,
): Result<RuleFile, string> {
  const ids = new Map([...people.keys(), ANYONE].map((id) => [id, id]))
  const own = new Map([...people.values()].map(({ id, name }) => [name.toLowerCase(), id]))
  for (const { id, name } of named) {
    const found = ids.get(id) ?? own.get(name.toLowerCase())
    if (found !== undefined) ids.set(id, found)
  }
  for (const section of SECTIONS)
    for (const rule of rules[section]) {
      const missing = [...referencesOf(rule).people].find((id) => !ids.has(id) && !removed.has(`person:${id}`))
      if (missing !== undefined) return fail(missingWords(`${section.slice(0, -1)} ${rule.id}`, missing, named))
    }
  const mapped = <T extends RuleFile[(typeof SECTIONS)[number]][number]>(rule: T): T =>
    mapParts(rule, ({ part }) => ('person' in part ? { ...part, person: ids.get(part.person) ?? part.person } : part))
  return ok({ automations: rules.automations.map(mapped), schedules: rules.schedules.map(mapped) })
}

function missingWords(place: string, id: string, named: readonly HomePerson[]): string {
  const name = named.find((person) => person.id === id)?.name ?? id
  return `The ${place} names the person ${name}, who has no account in this home: create it on the page System first.`
}
