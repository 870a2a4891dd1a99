import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { groupNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { type Blank, fitsBlank, type Starter, STARTERS } from '../../home/rules/starters.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import { CHOICES_MAX, type starters } from '../contract/starters.ts'
import type { HandlersOf } from '../handler.ts'
import { knownTo } from './saving.ts'

interface StarterParts {
  readonly live: Pick<LiveHome, 'states' | 'capabilities' | 'readings'>
}

/** Drafts with blanks, and the things of the home that fit. */
export function starterHandlers(parts: StarterParts): HandlersOf<typeof starters> {
  return {
    'starters.list': ({ view }) => ({
      starters: STARTERS.map((starter) => ({
        ...starter,
        blanks: starter.blanks.map((blank) => ({
          ...{ name: blank.name, kind: blank.kind, text: blank.text },
          ...choicesOf(blank, starter, view, parts),
        })),
      })),
    }),
  }
}

function choicesOf(blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts) {
  const fitting = blank.kind === 'scene' ? view.scenes : fittingDevices(blank, starter, view, parts)
  const found: string[] = []
  // One more tells whether there are more.
  for (const { id } of fitting) if (found.push(id) > CHOICES_MAX) break
  return { choices: found.slice(0, CHOICES_MAX), more: found.length > CHOICES_MAX }
}

function* fittingDevices(
  blank: Blank,
  starter: Starter,
  view: ExposedHouse,
  parts: StarterParts,
): Generator<ExposedDevice> {
  for (const device of view.devices()) if (fits(device, blank, starter, view, parts)) yield device
}

function fits(device: ExposedDevice, blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): boolean {
  const known = knownTo(view, parts)(device.key)
  if (known === undefined || !isWhole(device.key, view)) return false
  if (blank.classes?.includes(device.class) === false) return false
  if (blank.group !== undefined && groupNow(device, parts.live) !== blank.group) return false
  return fitsBlank(blank, starter, known)
}
