import { type Result, fail, ok } from '../lib/result.ts'
import type { House } from '../home/house/house.ts'
import { deviceKey } from '../home/model/device.ts'
import { type Exposure, type Pick, pickKey } from './integration.ts'

/**
 * Parses the words of `--expose`: `all`, `nothing`, `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`,
 * `group:ID`, `mode`, `calendar:ID`, with local ids of the house. A pick outlives its thing
 * (docs/decisions/exposure.md#decided), so the picks of `now` are accepted too.
 */
export function parseExposure(words: readonly string[], house: House, now: Exposure): Result<Exposure, string> {
  const stored = new Set(formatExposure(now))
  if (words.includes('all')) {
    return words.length === 1 ? ok({ expose: 'All' }) : fail('Send either all, or picks, not both.')
  }
  if (words.includes(NOTHING))
    return words.length === 1 ? ok({ expose: 'Selected', picks: [] }) : fail('Send either nothing, or picks, not both.')
  const picks: Pick[] = []
  for (const word of words) {
    const pick = parsePick(word)
    if (!pick)
      return fail(
        `"${word}" is not all, nothing, floor:ID, room:ID, unit:ID, gang:ID:N, scene:ID, group:ID, mode or calendar:ID.`,
      )
    if (!stored.has(word) && !isThere(pick, house))
      return fail(`The house has no ${pickKey(pick).replace(':', ' ')}. \`bin/hm house show\` lists the ids.`)
    picks.push(pick)
  }
  return ok({ expose: 'Selected', picks })
}

/** The exposure of a record for reports alone. */
const NOTHING = 'nothing'

export function formatExposure(exposure: Exposure): string[] {
  return exposure.expose === 'All' ? ['all'] : exposure.picks.map(pickKey)
}

function parsePick(word: string): Pick | null {
  if (word === 'mode') return { kind: 'mode', id: '' }
  const match = /^(floor|room|unit|scene|group|calendar):([a-z0-9-]+)$/.exec(word)
  if (match?.[1] && match[2]) return { kind: match[1] as Exclude<Pick['kind'], 'gang'>, id: match[2] }
  const gang = /^gang:([a-z0-9-]+):(\d)$/.exec(word)
  return gang?.[1] && gang[2] ? { kind: 'gang', id: gang[1], gang: Number(gang[2]) } : null
}

function isThere(pick: Pick, house: House): boolean {
  switch (pick.kind) {
    case 'floor':
      return house.floors.has(pick.id)
    case 'room':
      return house.rooms.has(pick.id)
    case 'unit':
      return house.units.has(pick.id)
    case 'scene':
      return house.scenes.has(pick.id)
    case 'group':
      return house.groups.has(pick.id)
    case 'mode':
      return true
    case 'calendar':
      return house.calendars.has(pick.id)
    case 'gang':
      return house.devices.has(deviceKey({ unit: pick.id, gang: pick.gang }))
  }
}
