import { expect, it } from 'vitest'
import { LogLines } from '../../lib/log-lines.ts'
import { LogTail } from './log.ts'

function logOf(run: string): { readonly lines: LogLines; readonly say: (...sentences: readonly string[]) => void } {
  const lines = new LogLines(run)
  const say = (...sentences: readonly string[]): void => {
    for (const msg of sentences) lines.take(JSON.stringify({ level: 30, time: '2027-01-31T12:00:00Z', msg }))
  }
  return { lines, say }
}

it('returns each line once, also after a restart that wrote more lines', async () => {
  let log = logOf('first')
  const tail = new LogTail(async (after) => ({
    run: log.lines.run,
    lines: log.lines.list({ after, limit: 100 }),
  }))
  const next = async () => {
    const { lines, anew } = await tail.next()
    return [anew, ...lines.map(({ what }) => what)]
  }
  log.say('a', 'b')
  expect(await next()).toEqual([false, 'a', 'b'])
  log.say('c')
  expect([await next(), await next()]).toEqual([[false, 'c'], [false]])

  log = logOf('second')
  expect(await next()).toEqual([true])
  log.say('d')
  expect(await next()).toEqual([false, 'd'])

  log = logOf('third')
  log.say('e', 'f')
  expect([await next(), await next()]).toEqual([[true, 'e', 'f'], [false]])
})
