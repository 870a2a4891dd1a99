// `npm run docs:examples`: plays the examples of src/documents/example-requests.ts against the demo home of a gateway that
// starts for it, and keeps its answers in src/documents/examples.json. What is kept there already and still fits
// stays as it is.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { type Played, playExamples } from './play.ts'
import { stillStands } from './still-stands.ts'

const FILE = join(import.meta.dirname, '../../src/documents/examples.json')
/** Sensors report now and then: at this speed nobody waits long for one. */
const SIMULATOR = 'sim:speed=60'
const POLL_MS = 250

const dataDir = mkdtempSync(join(tmpdir(), 'hm-examples-'))
try {
  await using gateway = await GatewayProcess.start({ dataDir, env: { HM_HMHC: SIMULATOR } })
  const { url, ca, token, admin } = gateway
  if (token === null) throw new Error('The gateway printed no key.')
  await pastIsMade({ url, ca, token })
  const played = await playExamples({ access: { url, ca, token }, admin, hasten: (work) => work })
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Played
  const text = JSON.stringify(
    { answers: merged(kept.answers, played.answers), events: merged(kept.events, played.events) },
    null,
    2,
  )
  writeFileSync(FILE, `${text}\n`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves once the made-up past of the demo home is stored, whose last entry says so. */
async function pastIsMade(access: Access): Promise<void> {
  await using caller = new HttpCaller(access)
  for (;;) {
    const { body } = await caller.call({ method: 'GET', path: '/v1/activity', query: { kind: 'edited', limit: '1' } })
    if (JSON.stringify(body).includes('made-up history')) return
    await setTimeout(POLL_MS)
  }
}

/** What was played, or what was kept of it where that has the same shape. */
function merged<T>(kept: Readonly<Record<string, T>>, played: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(played).map(([name, answer]) => {
      const before = kept[name]
      return [name, before !== undefined && stillStands(before, answer) ? before : answer]
    }),
  )
}
