import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { type HomePerson } from './model/presence.ts'
import { peopleIn, withOwnPeople } from './people-in-file.ts'
import type { RuleFile } from './rules/rule-file.ts'

const people = (...persons: readonly HomePerson[]): ReadonlyMap<string, HomePerson> =>
  new Map(persons.map((person) => [person.id, person]))
const ANNA = { id: 'a', name: 'Anna' }
const BEN = { id: 'b', name: 'Ben' }
const fileOf = (person: string): RuleFile =>
  ({
    automations: [
      { id: 'one', when: [{ person: 'anyone', is: 'away' }], if: [{ not: { person, is: 'home' } }], then: [] },
    ],
    schedules: [],
  }) as unknown as RuleFile

const ofAnna = (rules: RuleFile) => ({ rules, people: [ANNA], missing: new Set<string>() })

proves('automations.presence-file', 'a file has the names of the persons of its rules', () => {
  expect(peopleIn(fileOf('a'), people(ANNA, BEN))).toEqual([ANNA])
})

proves('automations.presence-file', 'a person is found by id, then by name, or the file is refused', () => {
  const file = fileOf('a')
  expect(withOwnPeople(ofAnna(file), people(ANNA))).toEqual({ ok: true, value: file })
  expect(withOwnPeople(ofAnna(file), people({ id: 'z', name: 'anna' }))).toEqual({ ok: true, value: fileOf('z') })
  expect(withOwnPeople(ofAnna(file), people(BEN))).toEqual({
    ok: false,
    error:
      'The automation one names the person Anna, who has no account in this home: create it on the page System first.',
  })
})
