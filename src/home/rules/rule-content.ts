import { canonicalJson } from '../../lib/canonical-json.ts'
import { freshRevision, type GivenRevisions } from '../model/revision.ts'
import type { RuleKind, RuleOf } from './model.ts'

/** A higher revision in a file counts as this one, so that there is room for edits. */
const FILE_REVISION_MAX = 1e12

/** All of a rule but what counts its edits: the same text of rules that are the same. */
export function contentOf(rule: RuleOf[RuleKind]): string {
  return canonicalJson({ ...rule, revision: 0, changedAt: 0 })
}

/**
 * A rule of a file as the home has it afterwards: `before` itself where the file has the same content, else with a
 * revision that its id never had.
 */
export function importedRule<K extends RuleKind>(
  rule: RuleOf[K],
  before: RuleOf[K] | undefined,
  given: Pick<GivenRevisions, 'highest'>,
): RuleOf[K] {
  const wanted = Math.min(rule.revision, FILE_REVISION_MAX)
  if (before === undefined) return { ...rule, revision: freshRevision(given, wanted) }
  // A file does not hold whether a rule is paused.
  if (contentOf({ ...before, paused: false }) === contentOf({ ...rule, paused: false })) return before
  return { ...rule, revision: Math.max(before.revision, wanted) + 1 }
}
