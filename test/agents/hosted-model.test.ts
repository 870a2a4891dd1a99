// @module-tag repeated
import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { hostedAct, hostedEnd, HostedWithModel } from '#support/homes/hosted-model.ts'
import { times } from '#support/long.ts'

proves(
  ['agents.hosted-rotation', 'agents.hosted-hour', 'agents.hosted-bounds', 'agents.hosted-suspended'],
  'tokens are what their model says, in any order of refreshing, waiting, revoking, clock jumps and crashes',
  () => {
    let pairs = 0
    fc.assert(
      fc.property(fc.array(hostedAct, { minLength: 15, maxLength: 50, size: 'max' }), hostedEnd, (acts, end) => {
        using side = new HostedWithModel()
        for (const each of [...acts, end]) {
          side.do(each)
          side.check()
        }
        pairs += side.pairs
      }),
      { numRuns: times(8, 150) },
    )
    // It was not idle.
    expect(pairs).toBeGreaterThan(times(25, 500))
  },
)
