import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { PROGRAM, SYNCS_ALWAYS } from './nats-server.ts'

const FOLDER = join(PROJECT_ROOT, 'deploy/relay-nats')
const NUMBERS = [1, 2, 3] as const

/** A JWT in the form of `nsc`. */
function signed(by: nkeys.KeyPair, of: nkeys.KeyPair, name: string, nats: object): string {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url')
  const claims = { jti: name, iat: 1, iss: by.getPublicKey(), sub: of.getPublicKey(), name, nats }
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`
}

const UNBOUNDED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }

/** Creates the output of the README's commands: `auth.conf`, and a node's credentials with the listed permissions. */
function credentials(): { readonly auth: string; readonly creds: string } {
  const [operator, system, relay, node] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ]
  const type = (kind: string): object => ({ type: kind, version: 2 })
  const account = (limits: object): object => ({ limits: { ...UNBOUNDED, ...limits }, ...type('account') })
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8')
  const gigabytes = Number(/--js-disk-storage (\d+)G/.exec(readme)?.[1])
  const storage = { mem_storage: 64e6, disk_storage: gigabytes * 1e9, streams: -1, consumer: -1 }
  const allowed = (option: string): string[] => new RegExp(`--${option} '([^']+)'`).exec(readme)![1]!.split(',')
  const permissions = { pub: { allow: allowed('allow-pub') }, sub: { allow: allowed('allow-sub') } }
  const user = signed(relay, node, 'node', { ...permissions, subs: -1, data: -1, payload: -1, ...type('user') })
  const seed = Buffer.from(node.getSeed()).toString('utf8')
  const system_account = system.getPublicKey()
  return {
    auth: [
      `operator: ${signed(operator, operator, 'hm', { system_account, ...type('operator') })}`,
      `system_account: ${system_account}`,
      'resolver: MEMORY',
      'resolver_preload: {',
      `  ${system_account}: ${signed(operator, system, 'SYS', account({}))}`,
      `  ${relay.getPublicKey()}: ${signed(operator, relay, 'relay', account(storage))}`,
      '}',
    ].join('\n'),
    creds: [
      `-----BEGIN NATS USER JWT-----\n${user}\n------END NATS USER JWT------\n`,
      `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    ].join('\n'),
  }
}

/** One server of the example on this machine; can be killed and restarted with its data. */
export class ClusterServer {
  readonly url: string
  readonly #start: () => ChildProcess
  #child: ChildProcess

  constructor(url: string, start: () => ChildProcess) {
    this.url = url
    this.#start = start
    this.#child = start()
    onTestFinished(() => this.kill())
  }

  start(): void {
    this.#child = this.#start()
  }

  /** Kills the server like a crash. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
}

/** The three servers of the example, and a file with a node's credentials. */
export async function natsCluster(): Promise<{ readonly servers: readonly ClusterServer[]; readonly creds: string }> {
  const { auth, creds } = credentials()
  const file = join(tempFolder(), 'node.creds')
  writeFileSync(file, creds)
  return { servers: await threeServers(auth), creds: file }
}

async function threeServers(auth: string): Promise<readonly ClusterServer[]> {
  const routes = await Promise.all(NUMBERS.map(() => freePort()))
  const ports = await Promise.all(NUMBERS.map(() => freePort()))
  const written = readFileSync(join(FOLDER, 'nats.conf'), 'utf8')
  // Killing a process does not show the effect on power cuts, and earlier servers refuse this setting.
  const example = SYNCS_ALWAYS ? written : written.replace(/^ *sync_interval: always$/m, '')
  return NUMBERS.map((number, at) => {
    const folder = join(tempFolder(), `nats${number}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'auth.conf'), auth)
    const local = routes.reduce(
      (text, port, index) => text.replace(`nats://10.0.0.${index + 1}:6222`, `nats://127.0.0.1:${port}`),
      example,
    )
    writeFileSync(join(folder, 'nats.conf'), local.replace('/var/lib/nats', join(folder, 'data')))
    const env = {
      ...process.env,
      NATS_NAME: `nats${number}`,
      NATS_LISTEN: `127.0.0.1:${ports[at]}`,
      NATS_CLUSTER_LISTEN: `127.0.0.1:${routes[at]}`,
    }
    const start = (): ChildProcess => spawn(PROGRAM, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore', env })
    return new ClusterServer(`nats://127.0.0.1:${ports[at]}`, start)
  })
}
