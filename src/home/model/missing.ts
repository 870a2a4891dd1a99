import { ANYONE, type HomePerson } from './presence.ts'
import { type NamedRule, type References, referencesOf, type Referring } from './rule-parts.ts'

/** Things that rules name and that can be removed; devices are replaced instead. */
export type Removable = Exclude<keyof References, 'devices' | 'targets'>

/** Prefix of each kind in a reference. Rules have their kind in their id. */
const PREFIXES = {
  scenes: 'scene:',
  modes: 'mode:',
  calendars: 'calendar:',
  people: 'person:',
  groups: 'group:',
  rooms: 'room:',
  floors: 'floor:',
  rules: '',
} as const satisfies Record<Removable, string>

/** Tells whether a home has a thing. */
export type IsThere = (kind: Removable, id: string) => boolean

/** Things of a home that rules name. */
export interface NamedThings {
  readonly scenes: ReadonlyMap<string, unknown>
  readonly modes: ReadonlyMap<string, unknown>
  readonly calendars: ReadonlyMap<string, unknown>
  readonly people: ReadonlyMap<string, HomePerson>
  readonly groups: ReadonlyMap<string, unknown>
  readonly rooms: ReadonlyMap<string, unknown>
  readonly floors: ReadonlyMap<string, unknown>
}

export function thereIn(things: NamedThings, named: NamedRule): IsThere {
  return (kind, id) => (kind === 'rules' ? named(id) !== undefined : id === ANYONE || things[kind].has(id))
}

/** Cached references of rules; a rule object never changes. */
const known = new WeakMap<Referring, References>()

function knownReferencesOf(rule: Referring): References {
  const found = known.get(rule) ?? referencesOf(rule)
  known.set(rule, found)
  return found
}

/** References to removed things, in the order of the rule: `mode:film`, `automation:dusk`. */
export function missingFrom(rule: Referring, isThere: IsThere): readonly string[] {
  const named = knownReferencesOf(rule)
  const kinds = Object.keys(PREFIXES) as readonly Removable[]
  return kinds.flatMap((kind) =>
    [...named[kind]].filter((id) => !isThere(kind, id)).map((id) => `${PREFIXES[kind]}${id}`),
  )
}
