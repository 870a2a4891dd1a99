import type { Author } from '../model/house.ts'
import { RULES_MAX, type RuleKind, type RuleOf } from './model.ts'

/** Automations, and schedules, that one integration saved. */
export const RULES_OF_ONE_MAX = 1_000
/** Bytes of all automations, or all schedules, of a home: they are listed in one answer. */
export const RULES_BYTES_MAX = 4 * 1024 * 1024
/** The same of those that one integration saved. */
export const RULES_BYTES_OF_ONE_MAX = 1024 * 1024

/** Which bound is reached: the home's, or that of the integration which saves; by number, or by bytes. */
export interface NoRoom {
  readonly kind: 'no_room'
  readonly of: 'home' | 'integration'
  readonly by: 'number' | 'bytes'
}

type Saved = Pick<RuleOf[RuleKind], 'name' | 'then'> & { readonly author: Author }

/** Bytes of what is stored: rules never change once they are made. */
const bytes = new WeakMap<object, number>()

/**
 * Whether another rule fits beside `rules`, in place of `before` where there is one. What an integration saved counts to
 * its share, so that no integration takes the room of the others; administrators have no share of their own.
 */
export function noRoomFor(rule: Saved, before: Saved | null, rules: Iterable<Saved>): NoRoom | null {
  const others = [...rules].filter((each) => each !== before)
  const own = rule.author && others.filter(({ author }) => author?.integration === rule.author?.integration)
  const wasOwn = before !== null && before.author?.integration === rule.author?.integration
  if (before === null && others.length >= RULES_MAX) return { kind: 'no_room', of: 'home', by: 'number' }
  if (own && !wasOwn && own.length >= RULES_OF_ONE_MAX) return { kind: 'no_room', of: 'integration', by: 'number' }
  const grows = bytesOf(rule) > (before === null ? 0 : bytesOf(before))
  if (grows && sum(others) + bytesOf(rule) > RULES_BYTES_MAX) return { kind: 'no_room', of: 'home', by: 'bytes' }
  if (own && (grows || !wasOwn) && sum(own) + bytesOf(rule) > RULES_BYTES_OF_ONE_MAX)
    return { kind: 'no_room', of: 'integration', by: 'bytes' }
  return null
}

function sum(rules: readonly Saved[]): number {
  return rules.reduce((all, each) => all + bytesOf(each), 0)
}

function bytesOf(rule: Saved): number {
  const known = bytes.get(rule)
  if (known !== undefined) return known
  const counted = Buffer.byteLength(JSON.stringify(rule))
  bytes.set(rule, counted)
  return counted
}
