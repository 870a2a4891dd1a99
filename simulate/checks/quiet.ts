import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

/** What the gateway's log says as an error while the disk refuses writes. */
const OF_THE_DISK = /disk|cannot be written|takes no writes|not be stored|could not|Activity waits/
/** Of what was thrown, characters that are told. */
const TEXT_MAX = 400

/** Errors in the log have a fault that explains them. */
export function quiet(world: World): Check {
  world.log.onLine = ({ level, sentence, error }) => {
    if (level !== 'error') return
    world.note(`log: ${sentence}`)
    if (world.troubled('disk', 60_000) && OF_THE_DISK.test(sentence)) return
    world.guarded(() => {
      throw new Violation('quiet', `The log has an error: ${sentence} ${error.slice(0, TEXT_MAX)}`)
    })
  }
  return {}
}
