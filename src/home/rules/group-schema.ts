import * as z from 'zod'
import { ANY_DEVICE, GROUP_WORDS } from '../model/groups.ts'
import { subjectProblem } from './one-test.ts'

/** The fields of a group in triggers, conditions and steps, made at their first use. */
const WORDS = GROUP_WORDS.join(', ')
const text = () => z.string().min(1).max(120)

const onePlace = () => {
  const place = text().optional()
  return {
    room: place.meta({ description: 'Only its devices in this room. The id of a room.' }),
    floor: place.meta({ description: 'Only its devices on this floor; not together with `room`. The id of a floor.' }),
  }
}

/** The group of a test. */
export const testedGroup = () => ({
  group: text().meta({ description: `${WORDS}, any (every device), or the id of a named group.` }),
  ...onePlace(),
})

/** The group of a step. */
export const movedGroup = () => ({
  group: text()
    .refine((word) => word !== ANY_DEVICE, `is only for triggers and conditions: name ${WORDS} or a named group`)
    .meta({ description: `${WORDS}, or the id of a named group.` }),
  ...onePlace(),
})

export const hasOnePlace = ({ room, floor }: { room?: string | undefined; floor?: string | undefined }): boolean =>
  room === undefined || floor === undefined
export const ONE_PLACE = 'may have only one of room and floor'

/** True if a test with the fields of all subjects has those of one; else its problem is an issue. */
export function isGroupTest(
  test: Parameters<typeof subjectProblem>[0],
  details: Parameters<typeof subjectProblem>[1],
  context: z.core.$RefinementCtx,
): boolean {
  const problem = subjectProblem(test, details)
  if (problem !== null) context.issues.push({ code: 'custom', input: test, ...problem })
  return problem === null
}
