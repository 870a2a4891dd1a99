// @module-tag repeated
import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { act, getsIn } from '#support/homes/pairing-acts.ts'
import { PairingWithModel } from '#support/homes/pairing-model.ts'

const RUNS = times(8, 120)

proves(
  ['agents.once', 'credentials.steady', 'agents.strangers', 'agents.replace'],
  'pairing follows its model in any order of requests, polls, decisions, waits, clock jumps and restarts',
  () => {
    let collected = 0
    fc.assert(
      fc.property(fc.array(act, { minLength: 20, maxLength: 60, size: 'max' }), (acts) => {
        using side = new PairingWithModel()
        for (const action of [...getsIn, ...acts]) {
          side.do(action)
          side.check()
        }
        collected += side.tokens.length
      }),
      { numRuns: RUNS },
    )
    // Each run begins with an accepted agent, which collects its token.
    expect(collected).toBeGreaterThanOrEqual(RUNS)
  },
)
