import { EXIT_CODES } from './exit-codes.ts'
import { Failure } from './failure.ts'
import type { Named } from './home-things.ts'

/** So many names stand in a sentence. */
const NAMES_MAX = 8

/** Letters and digits alone count, and no case: `Küche: Wandlampe` and `kuche wandlampe` are the same. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

type Test = (typed: string, name: string, full: string, of: string) => boolean

/** How a name may be said, the surest first: the first way in which anything is meant decides. */
const WAYS: readonly Test[] = [
  (typed, name, full) => typed === name || typed === full,
  (typed, name, full) => name.startsWith(typed) || full.startsWith(typed),
  (typed, _, full) => beginsWords(typed, full),
  // By what it is: `ac`, `bedroom dimmer`.
  (typed, _, full, of) => beginsWords(typed, `${full} ${of}`),
]

/** Whether each word that was typed begins one of the others. */
function beginsWords(typed: string, full: string): boolean {
  const words = full.split(' ')
  return typed.split(' ').every((part) => words.some((word) => word.startsWith(part)))
}

/** What is meant by what somebody typed: by id, name, room and name, their beginnings, or the beginnings of words. */
export function matching<T extends Named>(typed: string, all: readonly T[]): readonly T[] {
  const byId = all.filter(({ id }) => id === typed)
  if (byId.length > 0) return byId
  const wanted = folded(typed)
  if (wanted === '') return []
  const names = all.map((each) => ({
    each,
    name: folded(each.name),
    full: folded(fullName(each)),
    of: folded(each.class ?? ''),
  }))
  for (const isMeant of WAYS) {
    const found = names.filter(({ name, full, of }) => isMeant(wanted, name, full, of))
    if (found.length > 0) return found.map(({ each }) => each)
  }
  return []
}

/**
 * The one that is meant; those that `isLikely` holds for come first, as a lamp where something is switched.
 * @throws Failure where nothing is meant, or more than one thing: then it names them
 */
export function theOne<T extends Named>(
  typed: string,
  all: readonly T[],
  what: string,
  isLikely: (each: T) => boolean = () => true,
): T {
  const likely = matching(typed, all.filter(isLikely))
  const found = likely.length > 0 ? likely : matching(typed, all)
  const [one] = found
  if (one === undefined) {
    const sentence = `There is no ${what} "${typed}" for this login.${nearest(typed, all)}`
    throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_such_name' })
  }
  if (found.length === 1) return one
  const names = found.slice(0, NAMES_MAX).map(fullNameOf(found))
  const more = found.length > NAMES_MAX ? ` and ${found.length - NAMES_MAX} more` : ''
  const sentence = `"${typed}" can be ${names.join(', ')}${more}: say which, with its room or its id.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'ambiguous_name' })
}

/** A name with its room before it, unless it says that itself: `Hall light`, `Kitchen Ceiling`. */
export function fullName({ name, room }: Pick<Named, 'name' | 'room'>): string {
  return room === null || folded(name).startsWith(folded(room)) ? name : `${room} ${name}`
}

/** What tells one of several: its name with its room, and its id where others have the same. */
function fullNameOf(found: readonly Named[]): (each: Named) => string {
  return (each) => {
    const full = fullName(each)
    return found.filter((other) => fullName(other) === full).length > 1 ? `${full} (${each.id})` : full
  }
}

/** The names with most words that are, but for a letter, those that were typed. */
function nearest(typed: string, all: readonly Named[]): string {
  const parts = folded(typed).split(' ')
  const near = all.map((each) => {
    const words = folded(fullName(each)).split(' ')
    const isNear = (part: string): boolean => part.length > 2 && words.some((word) => differsByOne(part, word))
    return { name: fullName(each), shared: parts.filter(isNear).length }
  })
  const most = Math.max(1, ...near.map(({ shared }) => shared))
  const names = near.filter(({ shared }) => shared === most).slice(0, NAMES_MAX)
  return names.length === 0 ? '' : ` Do you mean ${names.map(({ name }) => name).join(', ')}?`
}

/** Whether at most one letter was changed, left out, added or swapped with its neighbour. */
function differsByOne(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const [rest, others] = [one.slice(start), other.slice(start)]
  const isSwapped = rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2)
  return [rest.slice(1), rest].some((each) => each === others.slice(1)) || rest.slice(1) === others || isSwapped
}
