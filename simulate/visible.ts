import type { HouseContent } from '../src/home/ports/house-store.ts'
import { markOf } from './house.ts'
import type { Facts, IntegrationFact } from './truth.ts'

/**
 * The marks of all that an integration may be told of, worked out from what is stored by docs/decisions/exposure.md and
 * not by the gateway's own code. Rules are not marked here: they are told by their knobs as well.
 */
export function visibleMarks(
  { floors, rooms, units, scenes }: HouseContent,
  integration: IntegrationFact,
): ReadonlySet<string> {
  const { all, picks } = integration
  const marks = new Set<string>()
  const shows = (shown: boolean, kind: string, id: string): boolean => {
    if (shown) marks.add(markOf(kind, id))
    return shown
  }
  for (const { id } of floors) shows(all || picks.has(`floor:${id}`), 'f', id)
  const shownRooms = new Set<string | null>()
  for (const { id, floor } of rooms)
    if (shows(all || picks.has(`room:${id}`) || (floor !== null && picks.has(`floor:${floor}`)), 'r', id))
      shownRooms.add(id)
  for (const unit of units) {
    const whole = all || picks.has(`unit:${unit.id}`)
    const gangs = unit.gangs.filter(({ gang, room }) =>
      shows(whole || shownRooms.has(room) || picks.has(`gang:${unit.id}:${gang}`), 'g', `${unit.id}g${gang}`),
    )
    shows(whole || shownRooms.has(unit.room) || gangs.length > 0, 'u', unit.id)
  }
  for (const { id } of scenes) shows(all || picks.has(`scene:${id}`), 's', id)
  return marks
}

/** Devices of which an integration sees the state. */
export function visibleDevices({ rooms, units }: HouseContent, { all, picks }: IntegrationFact): ReadonlySet<string> {
  const shownRooms = new Set<string | null>(
    rooms
      .filter(({ id, floor }) => all || picks.has(`room:${id}`) || (floor !== null && picks.has(`floor:${floor}`)))
      .map(({ id }) => id),
  )
  return new Set(
    units.flatMap((unit) => {
      const whole = all || picks.has(`unit:${unit.id}`)
      const gangs = unit.gangs.flatMap(({ gang, room }) =>
        whole || shownRooms.has(room) || picks.has(`gang:${unit.id}:${gang}`) ? [`${unit.id}:${gang}`] : [],
      )
      return [...(whole || shownRooms.has(unit.room) ? [unit.id] : []), ...gangs]
    }),
  )
}

/** Whether everything that a rule names is shown, and rules of its kind are. */
export function showsRule(facts: Facts, key: string, integration: IntegrationFact, content: HouseContent): boolean {
  const rule = facts.rules.get(key)
  if (rule === undefined) return false
  if (rule.kind === 'scene') return integration.all || integration.picks.has(`scene:${rule.id}`)
  if (integration.knobs[`${rule.kind}s`] !== 'on') return false
  const devices = visibleDevices(content, integration)
  const names = [...rule.definition.matchAll(/"(device|scene)":"([^"]+)"/g)]
  return names.every(([, kind, id = '']) =>
    kind === 'device' ? devices.has(id) : integration.all || integration.picks.has(`scene:${id}`),
  )
}
