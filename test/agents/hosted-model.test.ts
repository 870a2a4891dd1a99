// @module-tag repeated
import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { hostedAct, hostedEnd, HostedWithModel } from '#support/homes/hosted-model.ts'
import { times } from '#support/long.ts'

proves(
  ['agents.hosted-rotation', 'agents.hosted-hour', 'agents.hosted-bounds', 'agents.hosted-suspended'],
  'tokens follow their model in any order of refreshes, waits, revocations, clock jumps and crashes',
  () => {
    let pairs = 0
    fc.assert(
      fc.property(fc.array(hostedAct, { minLength: 15, maxLength: 50, size: 'max' }), hostedEnd, (acts, end) => {
        using side = new HostedWithModel()
        for (const act of [...acts, end]) {
          side.do(act)
          side.check()
        }
        pairs += side.pairs
      }),
      { numRuns: times(8, 150) },
    )
    // Fails if the runs hardly issued tokens.
    expect(pairs).toBeGreaterThan(times(25, 500))
  },
)
