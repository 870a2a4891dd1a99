import { classesOf, type House } from './house/house.ts'
import { attributed, type HomeFile } from './home-file.ts'
import type { Author, Scene } from './model/house.ts'
import { namedIn } from './model/rule-parts.ts'
import type { RuleFile } from './rules/rule-file.ts'
import type { OpeningPolicy } from './ports/unit-bus.ts'
import { openedEntrances } from './rules/openers.ts'
import { OPENING_REFUSAL_WORDS } from './words/commands.ts'

/**
 * Warnings about steps of a house file that open a lock or gate although their author may not, one sentence for each
 * rule or scene. A run leaves those steps out (docs/automations.md#whose-leave-counts).
 */
export function openingWarnings(file: HomeFile, house: House, opening: OpeningPolicy): readonly string[] {
  const scenes = new Map<string, Scene>(attributed(file, house).map((scene) => [scene.id, scene]))
  const classes = classesOf(file.house.units)
  const entrances = {
    classOf: (device: string) => classes.get(device),
    stepsOf: (scene: string) => scenes.get(scene)?.steps ?? [],
    ruleOf: namedIn<RuleFile['automations'][number] | RuleFile['schedules'][number]>(file.rules),
  }
  const names = new Map(file.house.units.map(({ id, name }) => [id, name]))
  const warned = (what: string, steps: Parameters<typeof openedEntrances>[0], author: Author): string[] => {
    const refusal = author === null ? null : opening.refusalOf(author)
    if (refusal === null || refusal === 'outside_hours') return []
    const opened = openedEntrances(steps, entrances)
    if (opened.length === 0) return []
    const devices = [...new Set(opened)].map((key) => names.get(key) ?? key).join(', ')
    return [`The ${what} does not open ${devices}: ${OPENING_REFUSAL_WORDS[refusal]}.`]
  }
  const rules = (['automation', 'schedule'] as const).flatMap((kind) =>
    file.rules[`${kind}s`].flatMap(({ id, name, then, enabled, origin, author = origin }) =>
      enabled ? warned(`${kind} ${name} (${id})`, then, author) : [],
    ),
  )
  return [
    ...[...scenes.values()].flatMap(({ id, name, steps, author }) => warned(`scene ${name} (${id})`, steps, author)),
    ...rules,
  ]
}
