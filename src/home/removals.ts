import type { HomeFile, HomeFileParts } from './home-file.ts'

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * How much of the home an import would remove, in words such as `34 of 34 units and 15 of 15 rooms`, where it is more than
 * half of a kind; else null. A single thing that goes is an ordinary edit.
 */
export function mostRemoved(file: HomeFile, { house, rules }: HomeFileParts): string | null {
  const kinds = [
    ['units', house.units.keys(), file.house.units],
    ['rooms', house.rooms.keys(), file.house.rooms],
    ['scenes', house.scenes.keys(), file.house.scenes],
    ['automations', idsOf(rules.automations.list()), file.rules.automations],
    ['schedules', idsOf(rules.schedules.list()), file.rules.schedules],
  ] as const
  const removed = kinds.flatMap(([kind, ids, list]) => {
    const kept = new Set(idsOf(list))
    const before = [...ids]
    const gone = before.filter((id) => !kept.has(id)).length
    return gone > 1 && gone > before.length / 2 ? [`${gone} of ${before.length} ${kind}`] : []
  })
  return removed.length === 0 ? null : LIST.format(removed)
}

const idsOf = (things: readonly { readonly id: string }[]): readonly string[] => things.map(({ id }) => id)
