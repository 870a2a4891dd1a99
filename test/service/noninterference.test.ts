// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { causeVisibleEvent } from '#support/homes/noninterference/home-events.ts'
import { NoninterferenceHome } from '#support/homes/noninterference/home.ts'
import { WATCHED } from '#support/homes/noninterference/shared-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf, times } from '#support/long.ts'
import { type TestedAction, action } from '#support/homes/noninterference/actions.ts'
import { Player } from '#support/homes/noninterference/home-player.ts'

/** Indexes of the integrations that watch. */
const WAYS = casesOf([...WATCHED.keys()], 2)
const SEQUENCES = times(WATCHED.length, 500)
const STEPS = 30

/** Plays the same steps in two homes and returns the first difference of their output, or null. */
async function difference(
  way: number,
  seeds: readonly [number, number],
  steps: readonly TestedAction[],
): Promise<object | null> {
  const [a, b] = [new Player(way, seeds[0]), new Player(way, seeds[1])]
  try {
    await Promise.all([a.tested.start(), b.tested.start()])
    for (const [index, step] of [
      { kind: 'read', path: 0, conditional: false, gzip: true, stream: false } as const,
      ...steps,
    ].entries()) {
      await a.play(step)
      await b.play(step)
      const [answersA, answersB] = [await a.stepAnswers(), await b.stepAnswers()]
      const at = answersA.findIndex((text, place) => text !== answersB[place])
      const differs = at >= 0 || answersA.length !== answersB.length
      if (differs)
        return {
          index,
          step,
          a: answersA[Math.max(at, 0)] ?? null,
          b: answersB[Math.max(at, 0)] ?? null,
          counts: [answersA.length, answersB.length],
        }
    }
    const defects = [a, b].flatMap(({ tested }) => tested.log.lines.filter(({ level }) => level === 'error'))
    return defects.length === 0
      ? null
      : { defects: defects.map(({ sentence, fields }) => `${sentence} ${String((fields as { err?: unknown }).err)}`) }
  } finally {
    a.tested.stop()
    b.tested.stop()
  }
}

describe('two homes that differ only in hidden things', () => {
  // Random steps alone would seldom read refused things.
  const refused: readonly TestedAction[] = [
    ...[0, 4, 8, 12].flatMap((value): TestedAction[] => [
      { kind: 'by-hidden', which: value, value },
      { kind: 'pass', ms: 1_500 },
    ]),
    { kind: 'page', what: 'activity', local: 0, limit: 20 },
    { kind: 'look', which: 2, rest: '/explain' },
  ]
  proves('1.4.noninterference', 'report a refused opening alike, whoever caused it', async () => {
    for (const way of WAYS)
      for (let seed = 1; seed <= times(1, 2); seed++)
        expect(await difference(way, [seed, seed + 7], refused)).toBeNull()
  })

  for (const way of WAYS) {
    proves(
      '1.4.noninterference',
      `send the watched integration the same bytes, as ${way + 1} of ${WATCHED.length} sees them`,
      { timeout: 60_000 * SEQUENCES },
      async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.tuple(fc.nat(), fc.nat()),
            fc.array(action, { minLength: STEPS, maxLength: STEPS }),
            async (seeds, steps) => {
              expect(await difference(way, seeds, steps)).toBeNull()
            },
          ),
          { numRuns: SEQUENCES / WATCHED.length },
        )
      },
    )
  }

  test('differ in many hidden things, and the watched integration gets many events', async () => {
    const [a, b] = [new NoninterferenceHome(0, 1), new NoninterferenceHome(0, 2)]
    await Promise.all([a.start(), b.start()])
    expect(JSON.stringify(a.home.house.content())).not.toBe(JSON.stringify(b.home.house.content()))
    expect(a.home.rules.automations.list().map(({ name }) => name)).not.toEqual(
      b.home.rules.automations.list().map(({ name }) => name),
    )
    a.say({ subscribe: ['*'] })
    causeVisibleEvent(a, 0, 0)
    await a.settle()
    expect(a.answersSoFar().some((text) => text.includes('"event":"state"'))).toBe(true)
    a.stop()
    b.stop()
  })
})
