import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import type { ShownRules } from '../exposed-causes.ts'
import { ANYONE } from '../../home/model/presence.ts'
import { groupNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { type Blank, fitsBlank, isOffered, type Starter, STARTERS } from '../../home/rules/starters.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import { CHOICES_MAX, type starters } from '../contract/starters.ts'
import type { HandlersOf } from '../handler.ts'
import { knownTo } from './saving.ts'

interface StarterParts {
  readonly live: Pick<LiveHome, 'states' | 'capabilities' | 'readings'>
  readonly rules: ShownRules
}

/** Drafts with blanks, and the things of the home that fit. */
export function starterHandlers(parts: StarterParts): HandlersOf<typeof starters> {
  return {
    'starters.list': ({ view }) => ({
      starters: STARTERS.filter((starter) => isOffered(starter, view))
        .map((starter) => ({
          ...starter,
          blanks: starter.blanks.map((blank) => ({
            ...{ name: blank.name, kind: blank.kind, text: blank.text },
            ...choicesOf(blank, starter, view, parts),
          })),
        }))
        // A blank that nothing fits makes a draft useless.
        .filter(({ blanks }) => blanks.every(({ choices }) => choices.length > 0)),
    }),
  }
}

function choicesOf(blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts) {
  const found: string[] = []
  // One more tells whether there are more.
  for (const id of allOf(blank, starter, view, parts)) if (found.push(id) > CHOICES_MAX) break
  return { choices: found.slice(0, CHOICES_MAX), more: found.length > CHOICES_MAX }
}

/** Ids of all things that fit a blank. */
function allOf(blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): Iterable<string> {
  if (blank.kind === 'scene') return view.scenes.map(({ id }) => id)
  if (blank.kind === 'calendar') return view.calendars.map(({ id }) => id)
  if (blank.kind === 'person') return [...(view.showsAnyone ? [ANYONE] : []), ...view.people.map(({ id }) => id)]
  if (blank.kind === 'room') return roomsWith(blank, view, parts)
  if (blank.kind === 'rule') return shownRules(view, parts)
  return devicesFor(blank, starter, view, parts)
}

function* devicesFor(blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): Generator<string> {
  for (const device of view.devices()) if (fits(device, blank, starter, view, parts)) yield device.id
}

/** Rooms with a device of the group. */
function roomsWith({ group }: Blank, view: ExposedHouse, { live }: StarterParts): readonly string[] {
  const rooms = [...view.floors.flatMap((floor) => floor.rooms), ...view.rooms]
  const used = new Set([...view.devices()].filter((one) => groupNow(one, live) === group).map((one) => one.room))
  return rooms.filter(({ id }) => used.has(id)).map(({ id }) => id)
}

function shownRules(view: ExposedHouse, { rules }: StarterParts): readonly string[] {
  return (['automation', 'schedule'] as const)
    .filter((kind) => view.showsRules(kind))
    .flatMap((kind) => [...view.rules.of(rules[`${kind}s`])].map((id) => view.ids.of(kind, id)))
}

function fits(device: ExposedDevice, blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): boolean {
  const known = knownTo(view, parts)(device.key)
  if (known === undefined || !isWhole(device.key, view)) return false
  if (blank.classes?.includes(device.class) === false) return false
  if (blank.group !== undefined && groupNow(device, parts.live) !== blank.group) return false
  return fitsBlank(blank, starter, known)
}
