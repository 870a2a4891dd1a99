// A relay for the gateway of a data folder, for tests in other languages. Links the gateway to an account, prints its
// address and CA as one line of JSON, and runs until the standard input ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'
import { TestAdmin } from '#support/gateway/test-admin.ts'
import { RelayProcess } from './relay-process.ts'

const [gateway = ''] = process.argv.slice(2)
const dataDir = mkdtempSync(join(tmpdir(), 'hm-relay-'))
const relay = await RelayProcess.start({ dataDir, port: await freePort() })
try {
  await relay.link(new TestAdmin(gateway))
  console.log(JSON.stringify({ url: relay.origin, ca: relay.ca }))
  await new Promise((resolve) => {
    process.stdin.resume().on('end', resolve)
  })
} finally {
  await relay.kill()
  rmSync(dataDir, { recursive: true, force: true })
}
