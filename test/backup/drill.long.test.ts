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

/** Pauses between tries are a fiftieth of the longest. */
const HASTY = { ...systemTiming, random: () => 0.02 }

/** A gateway as a process, whose first key may control everything. */
async function started(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  // A port of its own: it starts itself anew there.
  const gateway = await GatewayProcess.start({ dataDir, env: { ...env, HM_PORT: String(await freePort()) } })
  onTestFinished(async () => void (await gateway.kill()))
  return gateway
}

/** A client that trusts the CA that it was given at first and no other, and finds its gateway at another port. */
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

/** What a stream was told, and when it was told that it begins anew the next time. */
function following(client: Client) {
  const heard: Followed['event'][] = []
  let again = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const over = (async () => {
    for await (const { event } of client.follow(['*'], { signal: stopping.signal })) {
      heard.push(event)
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
  return { heard, next }
}

/** A phrase that holds, in a file. */
async function phraseFileOf(gateway: GatewayProcess): Promise<string> {
  const { words, asked } = await gateway.admin.call<{ words: string[]; asked: number[] }>('POST', '/backups/phrase')
  await gateway.admin.call('POST', '/backups/phrase/confirm', { words: asked.map((place) => words[place - 1]) })
  const file = join(tempFolder(), 'phrase')
  writeFileSync(file, words.join('\n'))
  return file
}

proves(
  'backup.pinned',
  'a pinned client and its open stream go on after a kill, an empty folder and a restore',
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

    // Each of these leaves the empty folder empty.
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
    // The last one, for programs.
    const said = await hmProcess(['restore', brought, '--json'], dataDir)
    expect(said.code).toBe(4)
    expect(JSON.parse(said.stderr)).toMatchObject({ error: { code: 'newer' } })
    const restored = await hmProcess(['restore', file, '--phrase-file', phrase], dataDir)
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('clients go on trusting it') as string })
    gateway = await started(dataDir)
    await stream.next()
    expect(await devicesOf(client)).toEqual(before)
    const lamp = (await client.state()).devices.find(({ state }) => state !== null && 'bri' in state)!
    await client.device('light_dimmer', lamp.id).setBrightness(37)

    // Once more with the gateway running: it restores by starting itself anew, in the same process.
    const running = await hmProcess(['restore', file, '--phrase-file', phrase], dataDir)
    expect(running).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The gateway restarts with it now.') as string,
    })
    await stream.next()
    expect(await devicesOf(client)).toEqual(before)
    expect(stream.heard.filter((event) => event === 'resync')).toHaveLength(3)
    expect((await gateway.kill('SIGTERM')).code).toBe(0)
  },
)

const devicesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.state()).devices.map(({ id }) => id).toSorted()

/** The same backup, as a program with the first two migrations made its history. */
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

proves('administration.hang', 'whoever watches waits for a restore of an older home, and no longer', async () => {
  const [dataDir, programs, file] = [tempFolder(), tempFolder(), join(tempFolder(), 'home.hmb')]
  const heard = join(programs, 'heard')
  writeFileSync(join(programs, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${heard}\n`, { mode: 0o700 })
  const watched = {
    NOTIFY_SOCKET: heard,
    WATCHDOG_USEC: '90000000',
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  }
  const gateway = await started(dataDir, watched)
  expect(await hmProcess(['backup', '--history', '--to', file], dataDir)).toMatchObject({ code: 0 })
  expect(await hmProcess(['restore', await olderThan(file)], dataDir)).toMatchObject({ code: 0 })
  const serves = `READY=1 STATUS=Serving on port ${gateway.port} WATCHDOG_USEC=90000000`
  const changes =
    'EXTEND_TIMEOUT_USEC=3600000000 STATUS=Changing the databases for this version WATCHDOG_USEC=3600000000'
  const told = (): readonly string[] =>
    readFileSync(heard, 'utf8')
      .split('\n')
      .filter((line) => line.includes('STATUS'))
  await expect.poll(told).toEqual([serves, changes, serves])
  expect((await gateway.kill('SIGTERM')).code).toBe(0)
})

/** From before anything is done to after all of it, by what lies in the folder. */
const KILLED_AT = [null, 'restored', 'restored/tls', 'restored/revoked', 'restoring.json', 'before-restore'] as const

proves('backup.restore', 'whenever a restore is killed, the next start finds the old home or the new one', async () => {
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

/** Kills a restore at once, or when something of this name has come to lie in the folder, or at its end. */
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
