import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { describe, expect, onTestFinished } from 'vitest'
import { KvStore } from '../../relay/nats/kv-store.ts'
import { NatsBus } from '../../relay/nats/nats-bus.ts'
import { NatsLink } from '../../relay/nats/connection.ts'
import { silentLog } from '../../src/lib/log.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'
import { HAS_NATS, PROGRAM } from '#support/relay/nats-server.ts'
import { freePort } from '#support/free-port.ts'

const FOLDER = join(PROJECT_ROOT, 'deploy/relay-nats')
const NUMBERS = [1, 2, 3] as const

/** A JWT as `nsc` makes them. */
function signed(by: nkeys.KeyPair, of: nkeys.KeyPair, name: string, nats: object): string {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url')
  const claims = { jti: name, iat: 1, iss: by.getPublicKey(), sub: of.getPublicKey(), name, nats }
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`
}

const UNBOUNDED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }

/** What the commands of the README make: `auth.conf`, and the credentials of a node with the permissions named there. */
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

interface Server {
  readonly url: string
  readonly child: ChildProcess
}

/** The three servers of the example, on this machine. */
async function threeServers(auth: string): Promise<readonly Server[]> {
  const routes = await Promise.all(NUMBERS.map(() => freePort()))
  const ports = await Promise.all(NUMBERS.map(() => freePort()))
  const example = readFileSync(join(FOLDER, 'nats.conf'), 'utf8')
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
    const child = spawn(PROGRAM, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore', env })
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
    })
    return { url: `nats://127.0.0.1:${ports[at]}`, child }
  })
}

/** Tries until it works: three servers need a moment to agree. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (tries > 200) throw error
    }
}

/** Servers tell each other a moment later who listens. */
function definite<T>(answer: T | null): T {
  if (answer === null) throw new Error('Nobody listens.')
  return answer
}

describe.skipIf(!HAS_NATS)('the example of three nodes (needs nats-server)', () => {
  proves('relay.nats-example', 'keeps everything on three servers, and goes on when one is gone', async () => {
    const { auth, creds } = credentials()
    const servers = await threeServers(auth)
    const file = join(tempFolder(), 'node.creds')
    writeFileSync(file, creds)
    const settings = { servers: servers.map(({ url }) => url), creds: file, replicas: 3 }
    const link = await eventually(() => NatsLink.open({ settings, name: 'one', log: silentLog }))
    onTestFinished(() => link[Symbol.asyncDispose]())
    const store = await eventually(() => KvStore.open(link, 3))
    expect(await store.create('accounts', 'anna', { name: 'Anna' })).not.toBeNull()
    // The permissions of a node are enough for the bus too.
    const other = await NatsLink.open({ settings, name: 'two', log: silentLog })
    onTestFinished(() => other[Symbol.asyncDispose]())
    const [asking, listening] = [new NatsBus(link, silentLog), new NatsBus(other, silentLog)]
    listening.listen('hmr.v1.where.abc', { heard: () => ({ node: 'two' }) })
    await listening.settled()
    expect(await eventually(async () => definite(await asking.ask('hmr.v1.where.abc', {})))).toEqual({ node: 'two' })
    // The one that the node is connected to: it goes on at another.
    const at = servers.findIndex(({ url }) => url.endsWith(`:${new URL(`nats://${link.connection.getServer()}`).port}`))
    const returned = Promise.withResolvers<void>()
    link.onReturn(() => returned.resolve())
    servers[at]!.child.kill('SIGKILL')
    await returned.promise
    expect(await eventually(async () => (await store.get('accounts', 'anna'))?.value)).toEqual({ name: 'Anna' })
    expect(await eventually(() => store.create('accounts', 'olga', { name: 'Olga' }))).not.toBeNull()
    // Strangers are not let in.
    const stranger = { ...settings, servers: [servers[(at + 1) % 3]!.url], creds: null }
    await expect(NatsLink.open({ settings: stranger, name: 'stranger', log: silentLog })).rejects.toThrow(
      'NATS does not let this node in',
    )
  })
})
