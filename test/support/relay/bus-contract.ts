import { describe, expect, test } from 'vitest'
import { type Bus, BusUnavailable, MESSAGE_BYTES_MAX } from '../../../relay/bus/bus.ts'

/** Three nodes on one bus. */
export interface BusWorld {
  readonly buses: readonly [Bus, Bus, Bus]
  /** Disconnects the bus at all nodes. */
  disconnect(): Promise<void>
  /** Reconnects the bus; resolves when all nodes have noticed. */
  reconnect(): Promise<void>
}

/** Tests that every bus of the relay passes; `open` returns one without subscribers, which closes with the test. */
export function busContract(name: string, open: () => Promise<BusWorld>): void {
  describe(`the bus contract of ${name}`, () => {
    test('all other subscribers receive published messages in order, and the sender does not', async () => {
      const { buses } = await open()
      const [one] = buses
      const received: unknown[][] = [[], [], []]
      const all = Promise.withResolvers<void>()
      for (const [index, bus] of buses.entries())
        bus.subscribe('hmr.test.all', (message) => {
          received[index]!.push(message)
          if (received[1]!.length === 3 && received[2]!.length === 3) all.resolve()
          return undefined
        })
      await Promise.all(buses.map((bus) => bus.settled()))
      for (const number of [1, 2, 3]) one.publish('hmr.test.all', { number, text: 'Ü' })
      await all.promise
      expect(received[1]).toEqual([1, 2, 3].map((number) => ({ number, text: 'Ü' })))
      expect(received[0]).toEqual([])
    })

    test('a subscriber at another node replies to a request; without one the result is null', async () => {
      const { buses } = await open()
      const [one, two, three] = buses
      expect(await one.request('hmr.test.where.a', {})).toBeNull()
      one.subscribe('hmr.test.where.a', () => ({ node: 'one' }))
      await one.settled()
      expect(await one.request('hmr.test.where.a', {})).toBeNull()
      const unsubscribe = two.subscribe('hmr.test.where.a', (request) => ({ node: 'two', request: request as object }))
      await two.settled()
      expect(await three.request('hmr.test.where.b', {})).toBeNull()
      expect(await one.request('hmr.test.where.a', { by: 'one' })).toEqual({ node: 'two', request: { by: 'one' } })
      unsubscribe()
      await two.settled()
      expect(await one.request('hmr.test.where.a', {})).toBeNull()
    })

    test('a request returns only a reply that it accepts', async () => {
      const { buses } = await open()
      const [one, two, three] = buses
      two.subscribe('hmr.test.where.a', () => ({ node: 'two' }))
      three.subscribe('hmr.test.where.a', () => ({ node: 'three' }))
      await Promise.all([two.settled(), three.settled()])
      const not = (name: string) => (reply: unknown) => (reply as { node: string }).node !== name
      expect(await one.request('hmr.test.where.a', {}, not('two'))).toEqual({ node: 'three' })
      expect(await one.request('hmr.test.where.a', {}, not('three'))).toEqual({ node: 'two' })
      expect(await two.request('hmr.test.where.a', {}, not('three'))).toBeNull()
      expect(await one.request('hmr.test.where.b', {}, () => true)).toBeNull()
    })

    test('a subscriber that does not reply makes the bus unavailable, unlike a missing subscriber', async () => {
      const { buses } = await open()
      const [one, two] = buses
      two.subscribe('hmr.test.where.a', () => undefined)
      await two.settled()
      await Promise.all(
        [undefined, () => true].map((accept) =>
          expect(one.request('hmr.test.where.a', {}, accept)).rejects.toBeInstanceOf(BusUnavailable),
        ),
      )
    })

    test('a star stands for any last word, and the handler receives the whole subject', async () => {
      const { buses } = await open()
      const [one, two] = buses
      const received = Promise.withResolvers<string>()
      two.subscribe('hmr.test.up.*', (_message, subject) => {
        received.resolve(subject)
        return undefined
      })
      await two.settled()
      one.publish('hmr.test.down.a', {})
      one.publish('hmr.test.up.a', {})
      expect(await received.promise).toBe('hmr.test.up.a')
    })

    test('a message that is too large is dropped, and the next one arrives', async () => {
      const { buses } = await open()
      const [one, two] = buses
      const received = Promise.withResolvers<unknown>()
      two.subscribe('hmr.test.all', (message) => {
        received.resolve(message)
        return undefined
      })
      await two.settled()
      one.publish('hmr.test.all', { text: 'x'.repeat(MESSAGE_BYTES_MAX) })
      one.publish('hmr.test.all', { text: 'short' })
      expect(await received.promise).toEqual({ text: 'short' })
    })

    test('a disconnected bus fails requests and loses messages; subscriptions survive the reconnection', async () => {
      const { buses, disconnect, reconnect } = await open()
      const [one, two] = buses
      const received: unknown[] = []
      let reconnections = 0
      one.onReconnect(() => (reconnections += 1))
      two.subscribe('hmr.test.where.a', (message) => {
        received.push(message)
        return { node: 'two' }
      })
      await two.settled()
      expect([one.isUp, two.isUp]).toEqual([true, true])
      await disconnect()
      expect([one.isUp, two.isUp]).toEqual([false, false])
      one.publish('hmr.test.where.a', { lost: true })
      await expect(one.request('hmr.test.where.a', {})).rejects.toBeInstanceOf(BusUnavailable)
      await reconnect()
      await two.settled()
      expect([one.isUp, two.isUp, reconnections]).toEqual([true, true, 1])
      expect(await one.request('hmr.test.where.a', { again: true })).toEqual({ node: 'two' })
      expect(received).toEqual([{ again: true }])
    })
  })
}
