// @module-tag repeated
import fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { act, getsIn } from '#support/homes/pairing-acts.ts'
import { PairingWithModel } from '#support/homes/pairing-model.ts'

const RUNS = times(15, 120)

proves(
  ['agents.once', 'credentials.steady', 'agents.strangers', 'agents.replace'],
  'pairing does what its model does, in any order of asking, polling, deciding, waiting, clock jumps and restarts',
  () => {
    let collected = 0
    fc.assert(
      fc.property(fc.array(act, { minLength: 20, maxLength: 60, size: 'max' }), (acts) => {
        using side = new PairingWithModel()
        for (const each of [...getsIn, ...acts]) {
          side.do(each)
          side.check()
        }
        collected += side.tokens.length
      }),
      { numRuns: RUNS },
    )
    // It was not idle: the one who gets in at the beginning does, and by chance others after it.
    expect(collected).toBeGreaterThanOrEqual(RUNS)
  },
)
