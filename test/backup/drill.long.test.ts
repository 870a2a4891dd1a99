// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { finishSwap } from '../../src/backup/restoring/restore-swap.ts'
import { caOf, Client, type Followed, NodeTransport, type Transport } from '../../client/src/node.ts'
import { systemTiming } from '../../client/src/transport.ts'
import { configurationRows } from '#support/faults/lived-home.ts'
import { NEWER, remadeBackup } from '#support/faults/remade-backup.ts'
import { freePort } from '#support/free-port.ts'
import { COMPILED, GatewayProcess } from '#support/gateway/gateway-process.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Shortens the pauses between retries to a fiftieth. */
const HASTY = { ...systemTiming, random: () => 0.02 }

/** Starts a gateway process. Its first key may control everything. */
async function started(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  // A fixed port: the gateway restarts on it.
  const gateway = await GatewayProcess.start({ dataDir, env: { ...env, HM_PORT: String(await freePort()) } })
  onTestFinished(async () => void (await gateway.kill()))
  return gateway
}

/** A client that trusts only its first CA, and follows its gateway to another port. */
function pinned(now: () => GatewayProcess, token: string, ca: string): Client {
  const made: { gateway: GatewayProcess | null; transport: NodeTransport | null } = { gateway: null, transport: null }
  const real = (): NodeTransport => {
    const gateway = now()
    if (made.gateway !== gateway || made.transport === null)
      made.transport = new NodeTransport({ addresses: [gateway.url], token, ca: caOf(ca) })
    made.gateway = gateway
    return made.transport
  }
  const transport: Transport = {
    request: (request) => real().request(request),
    stream: (listener) => real().stream(listener),
  }
  return new Client(transport, HASTY)
}

/** Events of a stream, and a wait for its next `resync`. */
function following(client: Client) {
  const received: Followed['event'][] = []
  let again = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const over = (async () => {
    for await (const { event } of client.follow(['*'], { signal: stopping.signal })) {
      received.push(event)
      if (event === 'resync') again.resolve()
    }
  })()
  onTestFinished(async () => {
    stopping.abort()
    await over
  })
  const next = async (): Promise<void> => {
    await again.promise
    again = Promise.withResolvers()
  }
  return { received, next }
}

/** Sets a recovery phrase and writes it to a file. */
async function phraseFileOf(gateway: GatewayProcess): Promise<string> {
  const { words, asked } = await gateway.admin.call<{ words: string[]; asked: number[] }>('POST', '/backups/phrase')
  await gateway.admin.call('POST', '/backups/phrase/confirm', { words: asked.map((place) => words[place - 1]) })
  const file = join(tempFolder(), 'phrase')
  writeFileSync(file, words.join('\n'))
  return file
}

proves(
  'backup.pinned',
  'a client with a pinned CA and its stream go on after a kill, the loss of the data folder and a restore',
  async () => {
    const dataDir = tempFolder()
    let gateway = await started(dataDir)
    const phrase = await phraseFileOf(gateway)
    const client = pinned(() => gateway, gateway.token!, gateway.ca)
    const stream = following(client)
    await stream.next()
    const before = await devicesOf(client)
    const file = join(tempFolder(), 'home.hmb')
    expect(await hmProcess(['backup', '--to', file], dataDir)).toMatchObject({ code: 0 })
    await gateway.kill()
    rmSync(dataDir, { recursive: true })
    mkdirSync(dataDir)

    // A refused restore leaves the folder empty.
    const bytes = readFileSync(file)
    const opening = { phrase: readFileSync(phrase, 'utf8') }
    const brought = join(tempFolder(), 'brought.hmb')
    const wrong = join(tempFolder(), 'wrong')
    writeFileSync(wrong, `${'abandon '.repeat(11)}about`)
    for (const [content, code, ...more] of [
      [bytes, 7],
      [bytes, 8, '--phrase-file', wrong],
      [bytes.subarray(0, bytes.length - 100), 5, '--phrase-file', phrase],
      [
        Buffer.concat([bytes.subarray(0, 9_000), Buffer.from([1, 2, 3]), bytes.subarray(9_003)]),
        6,
        '--phrase-file',
        phrase,
      ],
      [
        readFileSync(
          await remadeBackup(file, { ...opening, manifest: (manifest) => ({ ...manifest, format: 2 as 1 }) }),
        ),
        4,
      ],
      [readFileSync(await remadeBackup(file, { ...opening, ...NEWER['schemas.core'] })), 4],
      [readFileSync(await remadeBackup(file, { ...opening, ...NEWER['schemas.history'] })), 4],
    ] as const) {
      writeFileSync(brought, content)
      for (const words of [['restore'], ['restore', '--check'], ['backup', 'check']]) {
        const run = await hmProcess([...words, brought, ...more], dataDir)
        const stderr = expect.stringMatching(/^(?:Opening [^\n]+ …\n)?[A-Z][^\n]+\.\n$/) as string
        expect(run, run.stderr).toMatchObject({ code, stdout: '', stderr })
      }
      expect(existsSync(join(dataDir, 'core.db'))).toBe(false)
    }
    // With --json, the last refusal has a code.
    const refused = await hmProcess(['restore', brought, '--json'], dataDir)
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'newer' } })
    const restored = await hmProcess(['restore', file, '--phrase-file', phrase], dataDir)
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('clients still trust it') as string })
    gateway = await started(dataDir)
    await stream.next()
    expect(await devicesOf(client)).toEqual(before)
    const lamp = (await client.state()).devices.find(({ state }) => state !== null && 'bri' in state)!
    await client.device('light_dimmer', lamp.id).setBrightness(37)

    // A running gateway restores by a restart in the same process.
    const running = await hmProcess(['restore', file, '--phrase-file', phrase], dataDir)
    expect(running).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The gateway restarts with it now.') as string,
    })
    await stream.next()
    expect(await devicesOf(client)).toEqual(before)
    expect(stream.received.filter((event) => event === 'resync')).toHaveLength(3)
    expect((await gateway.kill('SIGTERM')).code).toBe(0)
  },
)

const devicesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.state()).devices.map(({ id }) => id).toSorted()

/** Remakes a backup with the history of an early program, which had two migrations. */
function olderThan(file: string): Promise<string> {
  return remadeBackup(file, {
    manifest: (manifest) => ({ ...manifest, schemas: { ...manifest.schemas, history: 2 } }),
    database: [
      'history.db',
      (history) => {
        history.exec('DROP INDEX activity_by_cause; DROP TABLE last_readings; DROP TABLE unit_identities')
        history.exec('DROP TABLE energy_jumps; DROP TABLE energy_corrections; DROP TABLE energy_corrected')
        history.exec('DROP TABLE device_places; PRAGMA user_version = 2')
      },
    ],
  })
}

proves('administration.hang', 'systemd waits for the migration of a restored older home, and no longer', async () => {
  const [dataDir, programs, file] = [tempFolder(), tempFolder(), join(tempFolder(), 'home.hmb')]
  const received = join(programs, 'received')
  writeFileSync(join(programs, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${received}\n`, { mode: 0o700 })
  const watched = {
    NOTIFY_SOCKET: received,
    WATCHDOG_USEC: '90000000',
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  }
  const gateway = await started(dataDir, watched)
  expect(await hmProcess(['backup', '--history', '--to', file], dataDir)).toMatchObject({ code: 0 })
  expect(await hmProcess(['restore', await olderThan(file)], dataDir)).toMatchObject({ code: 0 })
  const serves = `READY=1 STATUS=Serving on port ${gateway.port} WATCHDOG_USEC=90000000`
  const changes =
    'EXTEND_TIMEOUT_USEC=3600000000 STATUS=Changing the databases for this version WATCHDOG_USEC=3600000000'
  const statusLines = (): readonly string[] =>
    readFileSync(received, 'utf8')
      .split('\n')
      .filter((line) => line.includes('STATUS'))
  await expect.poll(statusLines).toEqual([serves, changes, serves])
  expect((await gateway.kill('SIGTERM')).code).toBe(0)
})

/** Files by whose appearance a restore is killed; null kills it at once. */
const KILLED_AT = [null, 'restored', 'restored/tls', 'restored/revoked', 'restoring.json', 'before-restore'] as const

proves('backup.restore', 'a restore that is killed at any time leaves the old home or the new one', async () => {
  const lived = tempFolder()
  const file = join(tempFolder(), 'home.hmb')
  const first = await started(lived)
  await hmProcess(['backup', '--to', file], lived)
  const then = integrationsOf(lived)
  await first.admin.call('POST', '/integrations', { name: 'Since then' })
  await first.kill('SIGTERM')
  const now = integrationsOf(lived)
  expect(now).not.toEqual(then)
  const found = new Set<string>()
  for (const mark of KILLED_AT) {
    const dataDir = join(tempFolder(), 'data')
    cpSync(lived, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    await killedRestore(dataDir, file, mark)
    await finishSwap(prepareDataFolder(dataDir))
    expect(readdirSync(dataDir).filter((name) => name.startsWith('restor'))).toEqual([])
    expect([then, now]).toContainEqual(integrationsOf(dataDir))
    found.add(JSON.stringify(integrationsOf(dataDir)))
    const gateway = await started(dataDir)
    expect((await gateway.kill('SIGTERM')).code).toBe(0)
  }
  expect(found.size).toBe(2)
})

/** Kills a restore at once, when a file with this name appears, or at its end. */
async function killedRestore(dataDir: string, file: string, mark: string | null): Promise<void> {
  const main = join(PROJECT_ROOT, 'src/cli/main.ts')
  const restoring = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'restore', file], {
    env: { ...process.env, ...COMPILED, HM_DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  const ended = once(restoring, 'exit')
  const isDue = (): boolean =>
    mark === null ||
    restoring.exitCode !== null ||
    readdirSync(dataDir).some((name) => name.startsWith(mark)) ||
    existsSync(join(dataDir, mark))
  while (!isDue()) await wait(1)
  restoring.kill('SIGKILL')
  await ended
}

const integrationsOf = (dataDir: string): readonly string[] =>
  [...configurationRows(join(dataDir, 'core.db')).keys()].filter((key) => key.startsWith('integrations'))
