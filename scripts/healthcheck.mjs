// Whether the gateway of a data folder answers: GET /v1/about over TLS, trusting nothing but the folder's own CA.
// Ends with 0 when it does, 1 when it does not; says why. For containers (Dockerfile) and monitoring.

import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'

const TIMEOUT_MS = 4000
const dataDir = process.env.HM_DATA_DIR ?? './data'
const port = process.env.HM_PORT ?? '8490'

function unhealthy(reason) {
  console.error(`The gateway does not answer on port ${port}: ${reason}`)
  process.exit(1)
}

let ca
try {
  ca = readFileSync(join(dataDir, 'tls', 'ca.pem'))
} catch (error) {
  unhealthy(error.message)
}

get({ host: 'localhost', port, path: '/v1/about', ca, minVersion: 'TLSv1.3', timeout: TIMEOUT_MS }, (answer) => {
  answer.resume()
  if (answer.statusCode !== 200) unhealthy(`status ${answer.statusCode}`)
  answer.on('end', () => process.exit(0))
})
  .on('timeout', () => unhealthy(`no answer within ${TIMEOUT_MS} ms`))
  .on('error', (error) => unhealthy(error.message))
