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
  const shownRooms = visibleRooms(rooms, integration)
  for (const { id } of rooms) shows(shownRooms.has(id), 'r', id)
  for (const unit of units) {
    const { whole, gangs } = visibleParts(unit, shownRooms, integration)
    for (const gang of gangs) shows(true, 'g', `${unit.id}g${gang}`)
    shows(whole || gangs.length > 0, 'u', unit.id)
  }
  for (const { id } of scenes) shows(all || picks.has(`scene:${id}`), 's', id)
  return marks
}

/** Devices of which an integration sees the state. */
export function visibleDevices({ rooms, units }: HouseContent, integration: IntegrationFact): ReadonlySet<string> {
  const shownRooms = visibleRooms(rooms, integration)
  return new Set(
    units.flatMap((unit) => {
      const { whole, gangs } = visibleParts(unit, shownRooms, integration)
      return [...(whole ? [unit.id] : []), ...gangs.map((gang) => `${unit.id}:${gang}`)]
    }),
  )
}

function visibleRooms(rooms: HouseContent['rooms'], { all, picks }: IntegrationFact): ReadonlySet<string | null> {
  const shown = rooms.filter(
    ({ id, floor }) => all || picks.has(`room:${id}`) || (floor !== null && picks.has(`floor:${floor}`)),
  )
  return new Set(shown.map(({ id }) => id))
}

/** Whether a unit is shown as itself, and which of its gangs are. */
function visibleParts(
  { id, room, gangs }: HouseContent['units'][number],
  shownRooms: ReadonlySet<string | null>,
  { all, picks }: IntegrationFact,
): { readonly whole: boolean; readonly gangs: readonly number[] } {
  const picked = all || picks.has(`unit:${id}`)
  const shown = gangs.filter((each) => picked || shownRooms.has(each.room) || picks.has(`gang:${id}:${each.gang}`))
  return { whole: picked || shownRooms.has(room), gangs: shown.map(({ gang }) => gang) }
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
