// Checks whether the gateway of a data folder answers, or with the argument `relay` the relay. Sends GET /v1/about over
// TLS and trusts only its CA, or the relay's configured certificate. Exit code 0 means healthy; 1 comes with the reason.
// For containers (Dockerfile) and monitoring.

import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { checkServerIdentity } from 'node:tls'

const TIMEOUT_MS = 4000
const EVERYWHERE = ['::', '0.0.0.0']
const { env } = process

const gateway = () => ({
  host: env.HM_HOST,
  port: env.HM_PORT || '8490',
  ca: readFileSync(join(env.HM_DATA_DIR || './data', 'tls', 'ca.pem')),
  name: 'localhost',
})

/** The relay only answers to the host name of its public address. */
const relay = () => ({
  host: env.HM_RELAY_HOST,
  port: env.HM_RELAY_PORT || '8443',
  ca: readFileSync(env.HM_RELAY_TLS_CERT || join(env.HM_RELAY_DATA_DIR || './relay-data', 'tls', 'ca.pem')),
  name: new URL(env.HM_RELAY_URL || 'https://localhost').hostname,
})

const [what, connection] = process.argv[2] === 'relay' ? ['relay', relay] : ['gateway', gateway]

function unhealthy(reason) {
  console.error(`The ${what} does not answer: ${reason}`)
  process.exit(1)
}

function ask() {
  const { host, port, ca, name } = connection()
  const bare = name.replace(/^\[|\]$/g, '')
  const tls = {
    ca,
    allowPartialTrustChain: true,
    minVersion: 'TLSv1.3',
    servername: isIP(bare) ? '' : bare,
    checkServerIdentity: (_, certificate) => checkServerIdentity(bare, certificate),
  }
  const at = { host: !host || EVERYWHERE.includes(host) ? 'localhost' : host, port, path: '/v1/about' }
  return get({ ...at, ...tls, headers: { host: `${name}:${port}` }, timeout: TIMEOUT_MS }, (answer) => {
    answer.resume()
    if (answer.statusCode !== 200) unhealthy(`status ${answer.statusCode} on port ${port}`)
    answer.on('end', () => process.exit(0))
  })
    .on('timeout', () => unhealthy(`nothing on port ${port} within ${TIMEOUT_MS} ms`))
    .on('error', (error) => unhealthy(`${error.message} (port ${port})`))
}

try {
  ask()
} catch (error) {
  unhealthy(error.message)
}
