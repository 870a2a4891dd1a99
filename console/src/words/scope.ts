import type { Home } from '@hm-gateway/client/src/browser.ts'
import { localIdOf } from '../lib/page-paths.ts'
import type { Integration, Settings } from '../lib/admin-contract.ts'
import { unitsOf } from '../lib/house-units.ts'

/** Texts about an integration's scope. */
const words = {
  allow_unlock: 'open locks and gates',
  automations: 'use automations',
  may_tell: 'send messages',
  may: (things: string): string => `may also ${things}`,
  mayNothing: 'may do nothing else',
  read: 'read unit settings',
  read_write: 'change unit settings',
  schedules: 'use schedules',
  sees: (count: number): string => `Sees and controls ${count === 1 ? 'one device' : `${count} devices`}`,
  seesAll: 'Sees and controls the whole home',
  seesSome: 'Sees and controls part of the home',
  structural: 'rename things',
} as const

type House = NonNullable<Home['house']>
type Unit = House['units'][number]
/** Picks that make a device visible. */
type Picks = readonly string[]

/** Scope of an integration in one line: `Sees and controls 14 devices · may also use automations`. */
export function scopeWords(
  { expose, settings }: Pick<Integration, 'expose' | 'settings'>,
  house: House | null,
): string {
  const may = knobWords(settings)
  return [exposureWords(expose, house), may.length === 0 ? words.mayNothing : words.may(may.join(', '))].join(' · ')
}

/** Permissions of the enabled knobs, beyond seeing and controlling. */
export function knobWords(settings: Partial<Settings>): readonly string[] {
  const { advanced_config = 'off' } = settings
  return [
    ...(advanced_config === 'off' ? [] : [words[advanced_config]]),
    ...(['structural', 'automations', 'schedules', 'allow_unlock', 'may_tell'] as const).flatMap((knob) =>
      settings[knob] === 'on' ? [words[knob]] : [],
    ),
  ]
}

function exposureWords(expose: Picks, house: House | null): string {
  if (expose.includes('all')) return words.seesAll
  if (house === null) return words.seesSome
  return words.sees(picksOf(house).filter((picks) => picks.some((pick) => expose.includes(pick))).length)
}

/** Picks that make visible a unit, or a gang of a module. */
function picksOf(house: House): readonly Picks[] {
  return unitsOf(house).flatMap((unit) => {
    const own = `unit:${localIdOf(unit.id)}`
    if (unit.gangs === undefined) return [[own, ...placesOf(unit)]]
    return unit.gangs.map((gang) => [own, `gang:${localIdOf(gang.id)}`, ...placesOf(gang)])
  })
}

/** Local ids of rooms and floors are their picks: `room:hall`. */
const placesOf = ({ room, floor }: Pick<Unit, 'room' | 'floor'>): Picks =>
  [room, floor].flatMap((place) => (place === null ? [] : [localIdOf(place)]))
