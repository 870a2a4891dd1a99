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
          choices: choicesOf(blank, starter, view, parts),
        })),
      })),
    }),
  }
}

function choicesOf(blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): string[] {
  if (blank.kind === 'scene') return view.scenes.slice(0, CHOICES_MAX).map(({ id }) => id)
  const found: string[] = []
  for (const device of view.devices()) {
    if (found.length >= CHOICES_MAX) break
    if (fits(device, blank, starter, view, parts)) found.push(device.id)
  }
  return found
}

function fits(device: ExposedDevice, blank: Blank, starter: Starter, view: ExposedHouse, parts: StarterParts): boolean {
  const known = knownTo(view, parts)(device.key)
  if (known === undefined || !isWhole(device.key, view)) return false
  if (blank.classes?.includes(device.class) === false) return false
  if (blank.group !== undefined && groupNow(device, parts.live) !== blank.group) return false
  return fitsBlank(blank, starter, known)
}
