import * as z from 'zod'
import type { Author, Origin } from '../model/house.ts'
import { type Automation, type Schedule, RULES_MAX } from '../model/rules.ts'
import { automationFileSchema, scheduleFileSchema } from './schema.ts'

/**
 * The part of the house file that holds automations and schedules; devices and scenes are named by key and local id.
 */
export const ruleFileSchema = z.strictObject({
  automations: z.array(automationFileSchema).max(RULES_MAX).refine(haveOwnIds, 'must not use an id twice'),
  schedules: z.array(scheduleFileSchema).max(RULES_MAX).refine(haveOwnIds, 'must not use an id twice'),
})
export type RuleFile = z.infer<typeof ruleFileSchema>

export function toRuleFile(automations: readonly Automation[], schedules: readonly Schedule[]): RuleFile {
  return {
    automations: automations.map((automation) => {
      const { changedAt: _, paused: __, ...rest } = automation
      return copied(automationFileSchema, withoutSameAuthor(rest))
    }),
    schedules: schedules.map((schedule) => {
      const { changedAt: _, ...rest } = schedule
      return copied(scheduleFileSchema, withoutSameAuthor(rest))
    }),
  }
}

/**
 * A copy of its own, with its fields in the order of the schema: what is exported is not changed by what happens next.
 * Of a rule that was damaged since the start the export has what there is.
 */
function copied<T>(schema: z.ZodType<T>, rule: object): T {
  const parsed = schema.safeParse(rule)
  return parsed.success ? parsed.data : (structuredClone(rule) as T)
}

/** The rules of a file as an export says them. */
export function namedOnce({ automations, schedules }: RuleFile): RuleFile {
  const once = <T extends RuleFile['automations'][number] | RuleFile['schedules'][number]>(rule: T): T => {
    const { author, ...rest } = rule
    return (author === undefined ? rest : withoutSameAuthor({ ...rest, author })) as T
  }
  return { automations: automations.map(once), schedules: schedules.map(once) }
}

/** Files name an author only where it is another than the one who made it. */
function withoutSameAuthor<T extends { readonly origin: Origin | null; readonly author: Author }>(
  thing: T,
): Omit<T, 'author'> & { readonly author?: Author } {
  const { author, ...rest } = thing
  const { origin } = thing
  const same = author?.integration === origin?.integration && author?.link === origin?.link
  return same ? rest : thing
}

function haveOwnIds(rules: readonly { readonly id: string }[]): boolean {
  return new Set(rules.map((rule) => rule.id)).size === rules.length
}
