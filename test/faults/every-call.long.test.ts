// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest'
import { CALL_KINDS, type CallError, canFailCalls, type Fault, FOR_EVER } from '#support/faults/failing-calls.ts'
import {
  type DayFolder,
  dayFolder,
  type DayOutcome,
  failingDay,
  failingFirstStart,
  type FaultFrom,
} from '#support/faults/failing-day.ts'
import { proves } from '#support/gateway/verifies.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'

const SEED = Number(process.env['HM_TEST_SEED'] ?? Date.now() % 1e9)
/** Every call of every kind with every error, which takes a night; else a sample. */
const EVERY_CALL = process.env['HM_TEST_EVERY_CALL'] === '1'
const SAMPLE = 10
/** Number of first starts, and the range of failing calls in one: a kind rarely has more calls until it serves. */
const [STARTS, MANY_STARTS, CALLS_OF_START] = [10, 2_000, 60]
/** Errors of disks and file systems: a bad sector, a full disk, read-only, no handles left, XFS and ext4. */
const ERRORS: readonly CallError[] = ['EIO', 'ENOSPC', 'EROFS', 'EMFILE', 'ESHUTDOWN', 'EUCLEAN']
/** SQLite itself waits ten seconds per statement for a lock, which takes too long here. */
const LASTING = CALL_KINDS.filter((kind) => kind !== 'lock')
const MANY_MS = 24 * 3_600_000

let home: DayFolder
beforeAll(async () => {
  if (canFailCalls) home = await dayFolder()
})

const named = ({ kinds, error, first, count }: Fault, from: FaultFrom): string =>
  `${kinds.join()} ${error} from ${from}, call ${first}${count === FOR_EVER ? ' and all after it' : ''}`

/** Lives a day for each fault; returns the failures, and prints the numbers. */
async function wrongIn(faults: readonly (readonly [Fault, FaultFrom])[], what: string): Promise<readonly string[]> {
  const wrong: string[] = []
  const outcomes: DayOutcome[] = []
  for (const [fault, from] of faults) {
    const outcome = await failingDay(home, fault, from)
    outcomes.push(outcome)
    for (const failure of outcome.wrong) wrong.push(`${named(fault, from)} (${outcome.last}): ${failure}`)
  }
  const met = outcomes.filter(({ failed }) => failed > 0)
  const kinds = new Set(faults.map(([{ kinds: kindsOfFault }]) => kindsOfFault.join()))
  const starts = outcomes.filter(({ endedAtStart }) => endedAtStart).length
  console.info(
    `${what}: ${outcomes.length} days, ${met.length} met their fault, ${kinds.size} kinds of calls, ${starts} starts ended with a sentence`,
  )
  return wrong
}

describe.skipIf(!canFailCalls)('system calls on the data folder that fail (needs Linux and gcc)', () => {
  proves(
    'storage.any-error',
    'for ever, while it serves: the home can be read and controlled, changes are 503, everything recovers',
    { tags: ['long'] },
    async () => {
      for (const kind of LASTING) {
        const fault = { kinds: [kind], error: 'EIO', first: 1, count: FOR_EVER } as const
        const { wrong, answers } = await failingDay(home, fault, 'serving')
        expect([kind, wrong]).toEqual([kind, []])
        // The knobs are cached and unchanged.
        const [house, control] = answers
        expect([kind, house?.status, control?.status]).toEqual([kind, 200, 200])
      }
    },
  )

  proves(
    'storage.failed-start',
    'for ever, from the start on: it serves or ends with a sentence, and the next start has everything',
    { tags: ['long'] },
    async () => {
      const errorsOf = (index: number): readonly CallError[] => (EVERY_CALL ? ERRORS : [ERRORS[index % ERRORS.length]!])
      const faults = LASTING.flatMap((kind, index) =>
        errorsOf(index).map((error) => [{ kinds: [kind], error, first: 1, count: FOR_EVER }, 'start'] as const),
      )
      expect(await wrongIn(faults, 'For ever')).toEqual([])
    },
  )

  proves(
    'storage.failed-start',
    'once, at any call of the first start: it creates one home, or the next start does',
    { tags: ['long'] },
    async () => {
      console.info(`HM_TEST_SEED=${SEED}`)
      const random = new SeededRandom(SEED)
      const wrong: string[] = []
      for (let turn = 0; turn < (EVERY_CALL ? MANY_STARTS : STARTS); turn += 1) {
        const kind = CALL_KINDS[turn % CALL_KINDS.length]!
        const first = 1 + (random.uint32() % CALLS_OF_START)
        const fault = { kinds: [kind], error: ERRORS[random.uint32() % ERRORS.length]!, first, count: 1 } as const
        const outcome = await failingFirstStart(fault)
        for (const failure of outcome.wrong) wrong.push(`${named(fault, 'start')} (${outcome.last}): ${failure}`)
      }
      expect(wrong).toEqual([])
    },
  )

  proves(
    ['storage.any-error', 'storage.failed-start'],
    'once, at any call of a day: start, changes, import, backup, restore, renewal, stop',
    { tags: ['long'], timeout: MANY_MS },
    async () => {
      console.info(`HM_TEST_SEED=${SEED}`)
      const { wrong, totals } = await failingDay(home, null, 'start')
      expect(wrong).toEqual([])
      const all = CALL_KINDS.flatMap((kind) =>
        Array.from({ length: totals[kind] }, (_, index) => ({ kind, first: index + 1 })),
      )
      const random = new SeededRandom(SEED)
      const upTo = (bound: number): number => random.uint32() % bound
      const some = CALL_KINDS.flatMap((kind) => all.filter((fault) => fault.kind === kind).slice(0, 1)).concat(
        Array.from({ length: SAMPLE }, () => {
          const kind = CALL_KINDS[upTo(CALL_KINDS.length)]!
          return { kind, first: 1 + upTo(Math.max(1, totals[kind])) }
        }),
      )
      const tried = EVERY_CALL ? all : some
      const faults = tried.flatMap(({ kind, first }, index) =>
        (EVERY_CALL ? ERRORS : [ERRORS[index % ERRORS.length]!]).map(
          (error) => [{ kinds: [kind], error, first, count: 1 }, 'start'] as const,
        ),
      )
      expect(await wrongIn(faults, 'Once')).toEqual([])
    },
  )
})

test.skipIf(canFailCalls)('failing calls are not tested: a library has to be built with gcc, on Linux', () => {
  expect(canFailCalls).toBe(false)
})
