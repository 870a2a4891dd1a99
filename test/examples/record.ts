// `npm run docs:examples`: plays the examples of src/documents/example-requests.ts against the demo home of a new gateway.
// It stores the responses in src/documents/examples.json. Stored responses that are still valid stay unchanged, and so
// does the event of a touch.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { type Played, playExamples } from './play.ts'
import { isStillValid } from './same-shape.ts'

const FILE = join(import.meta.dirname, '../../src/documents/examples.json')
/** Sensors report rarely: this speed keeps the wait short. */
const SIMULATOR = 'sim:speed=60'
const POLL_MS = 250

const dataDir = mkdtempSync(join(tmpdir(), 'hm-examples-'))
try {
  await using gateway = await GatewayProcess.start({ dataDir, env: { HM_HMHC: SIMULATOR } })
  const { url, ca, token, admin } = gateway
  if (token === null) throw new Error('The gateway printed no key.')
  await pastIsMade({ url, ca, token })
  const played = await playExamples({ access: { url, ca, token }, admin, hasten: (work) => work })
  const stored = JSON.parse(readFileSync(FILE, 'utf8')) as Played
  const text = JSON.stringify(
    {
      answers: merged(stored.answers, played.answers),
      events: { ...stored.events, ...merged(stored.events, played.events) },
    },
    null,
    2,
  )
  writeFileSync(FILE, `${text}\n`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves once the made-up past of the demo home is stored; its last entry reports that. */
async function pastIsMade(access: Access): Promise<void> {
  await using caller = new HttpCaller(access)
  for (;;) {
    const { body } = await caller.call({ method: 'GET', path: '/v1/activity', query: { kind: 'edited', limit: '1' } })
    if (JSON.stringify(body).includes('made-up history')) return
    await setTimeout(POLL_MS)
  }
}

/** New responses, or stored ones that are still valid. */
function merged<T>(stored: Readonly<Record<string, T>>, played: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(played).map(([name, answer]) => {
      const before = stored[name]
      return [name, before !== undefined && isStillValid(before, answer) ? before : answer]
    }),
  )
}
