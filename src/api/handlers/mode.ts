import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { PresentMode } from '../../home/live/present-mode.ts'
import type { HeldMode } from '../../home/model/events.ts'
import { MODE_UNTIL_MS_MAX, type HomeMode } from '../../home/model/modes.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/durations.ts'
import type { AnswerOf } from '../contract-client.ts'
import type { mode as contract } from '../contract/mode.ts'
import type { HandlersOf } from '../handler.ts'

const NO_MODE = {
  http: 'There is no such mode: GET /v1/mode lists them.',
  tool: 'There is no such mode: the tool house lists them.',
}

interface ModeParts {
  readonly mode: Pick<PresentMode, 'now' | 'set'>
  readonly clock: Pick<Clock, 'now'>
}

/** The mode of the home. Views that hide it get the answer of an unknown path before. */
export function modeHandlers({ mode, clock }: ModeParts): HandlersOf<typeof contract> {
  const answer = ({ modes }: ExposedHouse): ModeJson => modeJson(mode.now, modes)
  return {
    'mode.get': ({ view }) => answer(view),
    'mode.set': ({ body, view, cause, refuse }) => {
      const until = body.until ?? null
      if (!view.showsMode(body.mode)) return refuse('not_found', { field: 'mode', message: NO_MODE })
      if (until !== null && until <= clock.now()) refuse('validation', { message: 'until: must be in the future.' })
      if (until !== null && until > clock.now() + MODE_UNTIL_MS_MAX)
        refuse('validation', { message: `until: must be within ${MODE_UNTIL_MS_MAX / DAY_MS} days.` })
      mode.set(body.mode, until, cause)
      return answer(view)
    },
  }
}

type ModeJson = AnswerOf<(typeof contract)['mode.get']>

/** A mode with the list of modes, in answers and events. */
export function modeJson({ mode, since, until, previous }: HeldMode, modes: readonly HomeMode[]): ModeJson {
  const name = modes.find(({ id }) => id === mode)?.name ?? mode
  return { mode, name, since, until, previous, modes: modes.map(({ id, name: its }) => ({ id, name: its })) }
}
