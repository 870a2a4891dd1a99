import * as z from 'zod'
import type { Author, Origin } from '../model/house.ts'
import { type Automation, type Schedule, RULES_MAX } from '../model/rules.ts'
import { automationFileSchema, scheduleFileSchema } from './schema.ts'

/** The house file's section of automations and schedules; devices are named by key and scenes by local id. */
export const ruleFileSchema = z.strictObject({
  automations: z.array(automationFileSchema).max(RULES_MAX).refine(haveOwnIds, 'must not use an id twice'),
  schedules: z.array(scheduleFileSchema).max(RULES_MAX).refine(haveOwnIds, 'must not use an id twice'),
})
export type RuleFile = z.infer<typeof ruleFileSchema>

export function toRuleFile(automations: readonly Automation[], schedules: readonly Schedule[]): RuleFile {
  return {
    automations: automations.map((automation) => {
      const { changedAt: _, paused: __, ...rest } = automation
      return orderedCopy(automationFileSchema, withoutSameAuthor(rest))
    }),
    schedules: schedules.map((schedule) => {
      const { changedAt: _, ...rest } = schedule
      return orderedCopy(scheduleFileSchema, withoutSameAuthor(rest))
    }),
  }
}

/**
 * An independent copy with its fields in the order of the schema, so that later changes do not affect the export. A
 * rule that was damaged since the start is exported as it is.
 */
function orderedCopy<T>(schema: z.ZodType<T>, rule: object): T {
  const parsed = schema.safeParse(rule)
  return parsed.success ? parsed.data : (structuredClone(rule) as T)
}

/** The rules of a file in the form of an export. */
export function withoutRepeatedAuthors({ automations, schedules }: RuleFile): RuleFile {
  const strip = <T extends RuleFile['automations'][number] | RuleFile['schedules'][number]>(rule: T): T => {
    const { author, ...rest } = rule
    return (author === undefined ? rest : withoutSameAuthor({ ...rest, author })) as T
  }
  return { automations: automations.map(strip), schedules: schedules.map(strip) }
}

/** Files name an author only if it differs from the origin. */
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
