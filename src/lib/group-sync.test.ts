import { expect, test } from 'vitest'
import { GroupSync } from './group-sync.ts'

function rig(): { sync: GroupSync; begun: () => number; end: (error?: Error) => Promise<void> } {
  const running: PromiseWithResolvers<void>[] = []
  let ended = 0
  const sync = new GroupSync(() => {
    const one = Promise.withResolvers<void>()
    running.push(one)
    return one.promise
  })
  const end = (error?: Error): Promise<void> => {
    const one = running[ended++]!
    if (error) one.reject(error)
    else one.resolve()
    return new Promise((resolve) => setImmediate(resolve))
  }
  return { sync, begun: () => running.length, end }
}

test('callers during a sync share the next one', async () => {
  const { sync, begun, end } = rig()
  const finished: string[] = []
  const wait = (who: string): void => void sync.done().then(() => finished.push(who))
  wait('a')
  wait('b')
  await Promise.resolve()
  expect(begun()).toBe(1)
  wait('c')
  wait('d')
  await end()
  expect([finished, begun()]).toEqual([['a', 'b'], 2])
  await end()
  expect([finished, begun()]).toEqual([['a', 'b', 'c', 'd'], 2])
})

test('a failed sync rejects for its waiting callers, and the next one succeeds', async () => {
  const { sync, end } = rig()
  const first = sync.done()
  await Promise.resolve()
  const second = sync.done()
  const failed = first.catch((error: unknown) => error)
  const reason = new Error('worn out')
  await end(reason)
  expect(await failed).toBe(reason)
  await end()
  await second
})
