import { afterAll, beforeAll, describe } from 'vitest'
import { LONG } from '#support/long.ts'
import { HAS_NATS } from './nats-server.ts'
import { TwoHomes } from './two-homes.ts'

/** Tests with two homes of two accounts, at one node and in the long run also at two. */
export function ofTwoHomes(about: string, tests: (homes: () => TwoHomes) => void): void {
  describe.each([
    ['one node', 1],
    ['two nodes, each with one of the homes (by the long run, with nats-server)', 2],
  ] as const)('two homes of two accounts at %s', (_, nodes) => {
    const isSkipped = nodes === 2 && !(LONG && HAS_NATS)
    let homes: TwoHomes
    beforeAll(async () => {
      if (!isSkipped) homes = await TwoHomes.open(nodes)
    })
    afterAll(async () => {
      if (!isSkipped) await homes[Symbol.asyncDispose]()
    })

    describe.skipIf(isSkipped)(about, () => {
      tests(() => homes)
    })
  })
}
