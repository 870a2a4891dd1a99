import { describe, expect, test } from 'vitest'
import { type Bus, BusUnavailable, MESSAGE_BYTES_MAX } from '../../../relay/bus/bus.ts'

/** Three nodes on one bus. */
export interface BusWorld {
  readonly buses: readonly [Bus, Bus, Bus]
  /** Takes the bus away from all of them. */
  away(): Promise<void>
  /** Brings it back; resolves when all of them know. */
  back(): Promise<void>
}

/** What every bus of the relay holds to; `open` gives one on which nobody listens, closed when the test is over. */
export function busContract(name: string, open: () => Promise<BusWorld>): void {
  describe(`the bus contract of ${name}`, () => {
    test('what is told is heard by all others who listen, in order, and not by the node itself', async () => {
      const { buses } = await open()
      const [one] = buses
      const heard: unknown[][] = [[], [], []]
      const all = Promise.withResolvers<void>()
      for (const [index, bus] of buses.entries())
        bus.listen('hmr.test.all', {
          heard: (message) => {
            heard[index]!.push(message)
            if (heard[1]!.length === 3 && heard[2]!.length === 3) all.resolve()
            return undefined
          },
        })
      await Promise.all(buses.map((bus) => bus.settled()))
      for (const number of [1, 2, 3]) one.tell('hmr.test.all', { number, text: 'Ü' })
      await all.promise
      expect(heard[1]).toEqual([1, 2, 3].map((number) => ({ number, text: 'Ü' })))
      expect(heard[0]).toEqual([])
    })

    test('a question is answered by one who listens; without any, or at the asker alone, there is no answer', async () => {
      const { buses } = await open()
      const [one, two, three] = buses
      expect(await one.ask('hmr.test.where.a', {})).toBeNull()
      one.listen('hmr.test.where.a', { heard: () => ({ node: 'one' }) })
      await one.settled()
      expect(await one.ask('hmr.test.where.a', {})).toBeNull()
      const leave = two.listen('hmr.test.where.a', { heard: (asked) => ({ node: 'two', asked: asked as object }) })
      await two.settled()
      expect(await three.ask('hmr.test.where.b', {})).toBeNull()
      expect(await one.ask('hmr.test.where.a', { by: 'one' })).toEqual({ node: 'two', asked: { by: 'one' } })
      leave()
      await two.settled()
      expect(await one.ask('hmr.test.where.a', {})).toBeNull()
    })

    test('an asker takes the answer that it accepts, if there is one', async () => {
      const { buses } = await open()
      const [one, two, three] = buses
      two.listen('hmr.test.where.a', { heard: () => ({ node: 'two' }) })
      three.listen('hmr.test.where.a', { heard: () => ({ node: 'three' }) })
      await Promise.all([two.settled(), three.settled()])
      const not = (name: string) => (answer: unknown) => (answer as { node: string }).node !== name
      expect(await one.ask('hmr.test.where.a', {}, not('two'))).toEqual({ node: 'three' })
      expect(await one.ask('hmr.test.where.a', {}, not('three'))).toEqual({ node: 'two' })
      expect(await two.ask('hmr.test.where.a', {}, not('three'))).toBeNull()
      expect(await one.ask('hmr.test.where.b', {}, () => true)).toBeNull()
    })

    test('who listens and does not answer is told apart from nobody', async () => {
      const { buses } = await open()
      const [one, two] = buses
      two.listen('hmr.test.where.a', { heard: () => undefined })
      await two.settled()
      await Promise.all(
        [undefined, () => true].map((accept) =>
          expect(one.ask('hmr.test.where.a', {}, accept)).rejects.toBeInstanceOf(BusUnavailable),
        ),
      )
    })

    test('a star stands for any last word, and the listener is told which', async () => {
      const { buses } = await open()
      const [one, two] = buses
      const subject = Promise.withResolvers<string>()
      two.listen('hmr.test.up.*', {
        heard: (_message, text) => {
          subject.resolve(text)
          return undefined
        },
      })
      await two.settled()
      one.tell('hmr.test.down.a', {})
      one.tell('hmr.test.up.a', {})
      expect(await subject.promise).toBe('hmr.test.up.a')
    })

    test('a message that is too large is not heard, and the next one is', async () => {
      const { buses } = await open()
      const [one, two] = buses
      const heard = Promise.withResolvers<unknown>()
      two.listen('hmr.test.all', {
        heard: (message) => {
          heard.resolve(message)
          return undefined
        },
      })
      await two.settled()
      one.tell('hmr.test.all', { text: 'x'.repeat(MESSAGE_BYTES_MAX) })
      one.tell('hmr.test.all', { text: 'short' })
      expect(await heard.promise).toEqual({ text: 'short' })
    })

    test('while it is away questions fail and nothing told is heard later; then all listen as before', async () => {
      const { buses, away, back } = await open()
      const [one, two] = buses
      const heard: unknown[] = []
      let returns = 0
      one.onReturn(() => (returns += 1))
      two.listen('hmr.test.where.a', {
        heard: (message) => {
          heard.push(message)
          return { node: 'two' }
        },
      })
      await two.settled()
      expect([one.isUp, two.isUp]).toEqual([true, true])
      await away()
      expect([one.isUp, two.isUp]).toEqual([false, false])
      one.tell('hmr.test.where.a', { lost: true })
      await expect(one.ask('hmr.test.where.a', {})).rejects.toBeInstanceOf(BusUnavailable)
      await back()
      await two.settled()
      expect([one.isUp, two.isUp, returns]).toEqual([true, true, 1])
      expect(await one.ask('hmr.test.where.a', { again: true })).toEqual({ node: 'two' })
      expect(heard).toEqual([{ again: true }])
    })
  })
}
