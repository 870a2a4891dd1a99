import { expect, test } from 'vitest'
import { generateHouse } from '../demo/generate-house.ts'
import { parsedHomeFile } from '../home/home-file.ts'
import { readLongFile } from './long-home-file.ts'

const LONG = JSON.stringify(generateHouse(300, 7).file)

/** Number of event loop turns until the work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let waits = true
  const count = (): void => {
    turns += 1
    if (waits) setImmediate(count)
  }
  setImmediate(count)
  await work.finally(() => (waits = false))
  return turns
}

test(
  'a long file gives the same result or the same error, while the event loop continues',
  { tags: ['long'] },
  async () => {
    const reading = readLongFile(LONG, 'UTC')
    expect(await turnsOf(reading)).toBeGreaterThan(1)
    expect(await reading).toEqual(parsedHomeFile(LONG, 'UTC'))
    const wrong = LONG.replace('"class":"light_dimmer"', '"class":"lamp"')
    const refused = await readLongFile(wrong, 'UTC')
    expect(refused).toMatchObject({ ok: false })
    expect(refused).toEqual(parsedHomeFile(wrong, 'UTC'))
  },
)

test('a short file is read at once', async () => {
  const short = '{ "home": { "name": "Small" } }'
  expect(await readLongFile(short, 'UTC')).toEqual(parsedHomeFile(short, 'UTC'))
})
