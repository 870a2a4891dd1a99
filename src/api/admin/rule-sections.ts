import type { Cause } from '../../home/model/cause.ts'
import type { DeviceClass } from '../../home/model/device.ts'
import { deviceKey } from '../../home/model/device.ts'
import type { HouseFileContent } from '../../home/house/house-file.ts'
import { problemWith } from '../../home/rules/problems.ts'
import { referencesOf } from '../../home/rules/references.ts'
import { type RuleFile, ruleFileSchema, toRuleFile } from '../../home/rules/rule-file.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { checked, sentenceOf } from '../../lib/checked.ts'

/** The sections of a house file beside the structure: automations and schedules, with device keys and local ids. */
export interface RuleSections {
  export(): { automations: readonly unknown[]; schedules: readonly unknown[] }
  /** One sentence where something is wrong; nothing is changed then. */
  check(content: HouseFileContent): string | null
  replace(content: HouseFileContent, cause: Cause): void
}

export function ruleSections(rules: Pick<Rules, 'automations' | 'schedules'>): RuleSections {
  return {
    export: () => toRuleFile(rules.automations.list(), rules.schedules.list()),
    check: (content) => {
      const parsed = checked(ruleFileSchema, { automations: content.automations, schedules: content.schedules })
      return parsed.ok ? wrongReference(parsed.value, content) : sentenceOf(parsed.error, 'The file')
    },
    replace: (content, cause) => {
      const { automations, schedules } = ruleFileSchema.parse({
        automations: content.automations,
        schedules: content.schedules,
      })
      rules.automations.replaceAll(automations, cause)
      rules.schedules.replaceAll(schedules, cause)
    },
  }
}

function wrongReference(file: RuleFile, content: HouseFileContent): string | null {
  const classes = new Map<string, DeviceClass>(
    content.units.flatMap((unit) => [
      [unit.id, unit.class] as const,
      ...unit.gangs.map((gang) => [deviceKey({ unit: unit.id, gang: gang.gang }), gang.class] as const),
    ]),
  )
  const scenes = new Set(content.scenes.map((scene) => scene.id))
  for (const [section, list] of Object.entries(file)) {
    for (const rule of list) {
      const place = `${section.slice(0, -1)} ${rule.id}`
      const named = referencesOf(rule)
      const device = [...named.devices].find((key) => !classes.has(key))
      if (device !== undefined) return `The ${place} names ${device}, which is not in the file.`
      const scene = [...named.scenes].find((id) => !scenes.has(id))
      if (scene !== undefined) return `The ${place} names the scene ${scene}, which is not in the file.`
      const problem = problemWith(rule, (key) => classes.get(key))
      if (problem) return `The ${place}: ${problem.field} ${problem.message}.`
    }
  }
  return null
}
