import { describe, expect, it } from 'vitest'
import { Restarts } from './restarts.ts'

/** Openings that take until the test says so. */
function process_() {
  const asks: (() => void)[] = []
  const going: PromiseWithResolvers<void>[] = []
  let wanted = false
  const restarts = new Restarts({
    reopen: async () => {
      const under = Promise.withResolvers<void>()
      going.push(under)
      wanted = false
      await under.promise
      asks.push(restarts.ofOpening())
    },
    isWanted: () => wanted,
  })
  asks.push(restarts.ofOpening())
  return {
    restarts,
    asks,
    going,
    want: () => {
      wanted = true
    },
    finish: async () => {
      going.at(-1)!.resolve()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('restarts', () => {
  it('are a single one for two requests at once, and for a late request of the first opening', async () => {
    const { asks, going, finish } = process_()
    asks[0]!()
    asks[0]!()
    expect(going).toHaveLength(1)
    await finish()
    asks[0]!()
    expect(going).toHaveLength(1)
    asks[1]!()
    expect(going).toHaveLength(2)
  })

  it('repeat for a restore that was requested during a restart', async () => {
    const { asks, going, want, finish } = process_()
    asks[0]!()
    want()
    asks[0]!()
    expect(going).toHaveLength(1)
    await finish()
    expect(going).toHaveLength(2)
    await finish()
    expect(going).toHaveLength(2)
    want()
    asks[0]!()
    expect(going).toHaveLength(3)
  })

  it('do not happen once the process ends', () => {
    const { restarts, asks, going } = process_()
    restarts.end()
    asks[0]!()
    expect(going).toHaveLength(0)
  })
})
