import { effect } from '@preact/signals'
import { revision } from './home.ts'
import { keptReading } from './kept-reading.ts'
import { admin } from './session.ts'

const reading = keptReading(() => admin.call('get', '/admin/v1/house'))

/** The home by local ids, as exposures name it, kept right while somebody looks at it; null before it was read. */
export const localHome = reading.value
/** Why it could not be read. */
export const localHomeProblem = reading.problem
export const readLocalHome = reading.read

let seen = revision.peek()
effect(() => {
  if (revision.value === seen) return
  seen = revision.value
  reading.readIfShown()
})
