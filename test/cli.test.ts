import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_PLAN } from '../src/demo/demo-plan.ts'
import { hm as hmInside } from '#support/gateway/cli.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const ROOT = join(import.meta.dirname, '..')

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

let home: TestHome

/** Runs a command of `hm` in this process, in the data folder of the test's gateway unless another is named. */
async function hm(words: readonly string[], dataDir = home.running.dataDir): Promise<Ended> {
  const { code, out, err } = await hmInside(dataDir, ...words)
  return { code, stdout: out, stderr: err === '' ? '' : `${err}\n` }
}

/** How an administrator starts it, without what bin/hm does first. */
const MAIN = [process.execPath, '--disable-warning=ExperimentalWarning', join(ROOT, 'src/cli/main.ts')]

/** Runs `hm` in a process of its own. */
function hmProcess(
  words: readonly string[],
  dataDir = home.running.dataDir,
  program: readonly string[] = MAIN,
): Promise<Ended> {
  const [file = '', ...before] = program
  return new Promise((resolve) => {
    execFile(
      file,
      [...before, ...words],
      { env: { ...process.env, ...COMPILED, HM_DATA_DIR: dataDir } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

/** What a command that has to work printed. */
async function printed(...words: readonly string[]): Promise<string> {
  const ended = await hm(words)
  expect([words.join(' '), ended.code, ended.stderr]).toEqual([words.join(' '), 0, ''])
  return ended.stdout
}

/** The whole answer of a command that has to work. */
async function answer<T extends object>(...words: readonly string[]): Promise<T> {
  return JSON.parse(await printed(...words, '--json')) as T
}

/** The one sentence of a command that cannot work. */
async function sentence(...words: readonly string[]): Promise<string> {
  const ended = await hm(words)
  expect([words.join(' '), ended.code, ended.stdout]).toEqual([words.join(' '), 1, ''])
  expect(ended.stderr).toMatch(/^[^\n]+\n$/)
  return ended.stderr.trim()
}

/** The demo house, and a two-gang module that was screwed in yesterday. */
const NEW_UNIT = {
  address: 120,
  model: 'HMHHX2',
  room: 'study',
  gangs: [
    { gang: 0, kind: 'switch', room: 'study', load: { kind: 'lamp', watts: 8, lux: 80 } },
    { gang: 1, kind: 'switch', room: 'landing', load: { kind: 'lamp', watts: 8, lux: 80 } },
  ],
} as const

beforeAll(async () => {
  home = await TestHome.open('http', { sim: { plan: { ...DEMO_PLAN, units: [...DEMO_PLAN.units, NEW_UNIT] } } })
})
afterAll(() => home[Symbol.asyncDispose]())

const status = async (token: string): Promise<number> =>
  (await home.call({ method: 'GET', path: '/v1/house', token })).status

interface Integration {
  id: string
  name: string
  enabled: boolean
  expose: string[]
  settings: Record<string, string>
  credentials: { link: string; state: string }[]
}

describe('hm integration', () => {
  test('create, list, show, set, expose, disable, enable and delete do what they say, and print it', async () => {
    const made = await answer<{ integration: Integration }>(
      'integration',
      'create',
      '--name',
      'Wall panel',
      '--expose',
      'room:hall',
      'gang:kitchen-panel:1',
      'scene:dinner',
      '--set',
      'structural=on',
      'mdns=off',
    )
    const { id } = made.integration
    expect(made.integration).toMatchObject({
      name: 'Wall panel',
      enabled: true,
      expose: ['room:hall', 'gang:kitchen-panel:1', 'scene:dinner'],
      settings: { structural: 'on', mdns: 'off', advanced_config: 'read' },
    })
    const { token } = await answer<{ token: string }>('key', 'create', '--integration', id)
    const { rooms, units } = (await home.get('/v1/house', token)) as {
      rooms: { name: string }[]
      units: { kind: string; gangs: { gang: number }[] }[]
    }
    expect(rooms.map(({ name }) => name)).toEqual(['Hall'])
    // The hall's panel has gangs elsewhere; of the kitchen's there is the one that was picked.
    expect(units).toMatchObject([{ kind: 'module', gangs: [{ gang: 1 }] }])

    expect(await printed('integration', 'list')).toMatch(
      new RegExp(`^ID +NAME +STATE +EXPOSES +CREDENTIALS\\n[^]*${id} +Wall panel +enabled +3 picked +1\\n`),
    )
    expect(
      (await answer<{ integrations: Integration[] }>('integration', 'list')).integrations.find(
        (each) => each.id === id,
      ),
    ).toMatchObject({ name: 'Wall panel', enabled: true, settings: made.integration.settings })
    const shown = await printed('integration', 'show', id)
    expect(new Set(/exposes  (.+)/.exec(shown)?.[1]?.split(' '))).toEqual(
      new Set(['room:hall', 'gang:kitchen-panel:1', 'scene:dinner']),
    )
    for (const [knob, value] of Object.entries(made.integration.settings)) expect(shown).toContain(`${knob}=${value}`)
    expect((await answer<{ integration: Integration }>('integration', 'show', id)).integration).toMatchObject({
      id,
      credentials: [{ state: 'active' }],
    })

    expect(await printed('integration', 'set', id, 'structural=off', 'schedules=on')).toContain('schedules=on')
    expect(await home.get('/v1/integration', token)).toMatchObject({
      integration: { settings: { structural: 'off', schedules: 'on' } },
    })
    expect(await printed('integration', 'expose', id, 'all')).toContain('exposes  all')
    expect((await home.get('/v1/house', token))['floors']).toHaveLength(3)

    expect(await printed('integration', 'disable', id)).toContain('Wall panel  (disabled')
    expect(await status(token)).toBe(403)
    expect(await printed('integration', 'enable', id)).toContain('Wall panel  (enabled')
    expect(await status(token)).toBe(200)
    expect(await printed('integration', 'delete', id)).toBe(`Deleted ${id}; its credentials answer 401 from now on.\n`)
    expect(await status(token)).toBe(401)
    expect(await sentence('integration', 'show', id)).toBe(
      `There is no integration ${id}; \`bin/hm integration list\` shows them.`,
    )
  })

  test('refuses what it does not know in a sentence, and changes nothing', async () => {
    const { integration } = await answer<{ integration: Integration }>('integration', 'create', '--name', 'Careful')
    const { id } = integration
    expect(await sentence('integration', 'set', id, 'structural')).toContain('knob=value')
    expect(await sentence('integration', 'set', id, 'structural=maybe')).toMatch(/structural/)
    expect(await sentence('integration', 'set', id, 'doors=on')).toMatch(/doors/)
    expect(await sentence('integration', 'expose', id, 'room:attic')).toMatch(/attic/)
    expect(await sentence('integration', 'expose', id, 'gang:kitchen-panel:9')).toMatch(/kitchen-panel/)
    expect(await sentence('integration', 'expose', id, 'all', 'room:hall')).toMatch(/all/)
    expect(await sentence('integration', 'create', '--name', 'X', '--expose', 'everything')).toMatch(/everything/)
    expect((await answer<{ integration: Integration }>('integration', 'show', id)).integration).toMatchObject({
      expose: ['all'],
      settings: integration.settings,
    })
    await printed('integration', 'delete', id, '--json')
  })
})

describe('hm key', () => {
  test('create tells the token once, list never, revoke ends it', async () => {
    const text = await printed('key', 'create', '--integration', home.main.id, '--name', 'tablet')
    const [, token = '', link = '', fingerprint = ''] =
      /^token {8}(hm_key_\S+)\nlink {9}(\w+)\nfingerprint {2}([0-9A-F:]+) /.exec(text) ?? []
    expect(await status(token)).toBe(200)
    expect(fingerprint).toBe(new X509Certificate(home.ca).fingerprint256)
    const made = await answer<{ token: string; link: string; fingerprint: string }>(
      'key',
      'create',
      '--integration',
      home.main.id,
    )
    expect(Object.keys(made).toSorted()).toEqual(['fingerprint', 'link', 'token'])

    const list = await printed('key', 'list')
    expect(list).toMatch(new RegExp(`^LINK +KIND +NAME[^]*\\n${link} +key +tablet +API: Test +active `))
    expect(list).not.toContain(token.split('.').at(-1))
    expect(
      (await answer<{ keys: { link: string; lastUsed: unknown }[] }>('key', 'list')).keys.find(
        (key) => key.link === link,
      )?.lastUsed,
    ).toMatchObject({ via: 'home' })

    expect(await printed('key', 'revoke', link)).toBe(
      `Revoked ${link}; its requests answer 401 and its open streams are closed.\n`,
    )
    expect(await status(token)).toBe(401)
    expect(await answer('key', 'revoke', made.link)).toEqual({ revoked: made.link })
    expect(await sentence('key', 'revoke', 'nobody')).toBe(
      'There is no credential nobody; `bin/hm key list` shows them.',
    )
    expect(await sentence('key', 'create', '--integration', 'nobody')).toContain('There is no integration nobody')
  })
})

describe('hm home and hm house', () => {
  test('home show and set tell and change what the home is called and where it is', async () => {
    expect(await printed('home', 'show')).toMatch(/^name +Sonnenwinkel\ntimeZone +Europe\/Berlin\n/)
    const changed = await answer<{ home: object }>(
      'home',
      'set',
      '--name',
      'Seeheim',
      '--latitude',
      '49.76',
      '--longitude',
      '8.65',
      '--currency',
      'CHF',
      '--time-zone',
      'Europe/Zurich',
    )
    expect(changed.home).toEqual({
      name: 'Seeheim',
      timeZone: 'Europe/Zurich',
      latitude: 49.76,
      longitude: 8.65,
      currency: 'CHF',
    })
    expect(await home.get('/v1/integration')).toMatchObject({ house: 'Seeheim' })
    expect(await printed('home', 'set', '--name', 'Sonnenwinkel')).toContain('Sonnenwinkel')
    expect(await sentence('home', 'set')).toContain('--name')
    expect(await sentence('home', 'set', '--latitude', 'north')).toContain('north')
    expect(await sentence('home', 'set', '--time-zone', 'Mars/Olympus')).toContain('timeZone')
  })

  test('show lists all with local ids, and export and import are a round trip', async () => {
    const text = await printed('house', 'show')
    for (const line of [
      'floor ground-floor  Ground floor',
      '  room hall  Hall',
      '    hall-light  Hall light  light_switch HMHHX1  address 11',
      '      kitchen-panel:1  Dining table lamp  switch_gang  feeds a lamp  in dining-room',
      'in no room',
      '    dinner  Dinner',
    ])
      expect(text).toContain(`${line}\n`)
    const before = await answer('house', 'show')
    const folder = tempFolder()
    const file = join(folder, 'house.yaml')
    expect(await printed('house', 'export', file)).toBe(`Wrote ${file}.\n`)
    expect(await printed('house', 'export')).toBe(readFileSync(file, 'utf8'))
    expect(await sentence('house', 'export', file)).toBe(`${file} cannot be written: it exists already.`)

    const counts = '3 floors, 15 rooms, 34 units, 5 scenes, 0 automations and 0 schedules.'
    expect(await printed('house', 'import', '--check', file)).toBe(`This file holds ${counts}\n`)
    await printed('house', 'place', 'study-light', '--room', 'studio', '--name', 'Moved')
    expect(await printed('house', 'import', file)).toBe(`Imported ${counts}\n`)
    const after = await answer('house', 'show')
    const withoutRevisions = (house: object): unknown =>
      JSON.parse(
        JSON.stringify(house, (key, value: unknown) =>
          ['revision', 'edits', 'reachable'].includes(key) ? undefined : value,
        ),
      )
    expect(withoutRevisions(after)).toEqual(withoutRevisions(before))
    expect(await printed('house', 'export')).toBe(readFileSync(file, 'utf8'))

    writeFileSync(join(folder, 'wrong.yaml'), readFileSync(file, 'utf8').replace('room: hall', 'room: moon'))
    expect(await sentence('house', 'import', join(folder, 'wrong.yaml'))).toContain('moon')
    expect(await sentence('house', 'import', join(folder, 'missing.yaml'))).toContain('cannot be read')
    expect(await printed('house', 'export')).toBe(readFileSync(file, 'utf8'))
  })

  test('place takes in a unit that was found on the bus, moves it, and renames it', async () => {
    expect(await printed('house', 'show')).toMatch(/on the bus, without a place[^]*\n {4}120 +HMHHX2 +gang_module/)
    expect((await answer<{ unplaced: { address: number }[] }>('house', 'show')).unplaced).toMatchObject([
      { address: 120, model: 'HMHHX2', class: 'gang_module' },
    ])
    const placed = await printed(
      'house',
      'place',
      '120',
      '--id',
      'new-panel',
      '--name',
      'New panel',
      '--room',
      'study',
      '--gang',
      '0=study=Shelf light',
      '1=landing',
    )
    expect(placed).toBe('new-panel (New panel) lies in study.\n')
    const { device } = (await home.get(home.at('new-panel:0'))) as { device: object }
    expect(device).toMatchObject({ name: 'Shelf light', room: home.id('room:study') })
    // It works from then on.
    const on = await home.call({
      method: 'POST',
      path: home.at('new-panel:1', '/control'),
      body: { op: 'set_power', args: { on: true } },
    })
    expect(on).toMatchObject({ status: 200, body: { state: { on: true } } })
    expect((await answer<{ unplaced: unknown[] }>('house', 'show')).unplaced).toEqual([])
    expect(await printed('house', 'place', 'new-panel', '--no-room')).toBe('new-panel (New panel) lies in no room.\n')
    expect(await answer('house', 'place', 'new-panel', '--room', 'hall')).toMatchObject({
      unit: { id: 'new-panel', room: 'hall' },
    })
    await printed('house', 'place', 'new-panel', '--gang', '1=hall', '--gang-light', '0=yes', '1=no')
    expect(await printed('house', 'show')).toMatch(/new-panel:0 .*feeds a lamp[^]*new-panel:1 .*feeds no lamp/)
    await printed('house', 'place', 'dishwasher', '--light', 'unknown')
    expect(await sentence('house', 'place', 'dishwasher', '--light', 'maybe')).toContain('yes, no and unknown')
    expect(await sentence('house', 'place', 'new-panel', '--light', 'yes')).toBe(
      'new-panel is no switch, so it has no light.',
    )
    expect(await sentence('house', 'place', 'new-panel', '--room', 'moon')).toBe('The house has no room moon.')
    expect(await sentence('house', 'place', 'nothing', '--room', 'hall')).toContain('No such unit')
    expect(await sentence('house', 'place', '121', '--id', 'x')).toContain('No such unit')
    expect(await sentence('house', 'place', 'new-panel', '--gang', '3=hall')).toContain('no gang 3')
  })
})

describe('hm tls, status, backup', () => {
  test('tls show, renew and regenerate-ca tell and change what clients are shown', async () => {
    const { fingerprint256 } = new X509Certificate(home.ca)
    const text = await printed('tls', 'show')
    expect(text).toContain(`CA fingerprint  ${fingerprint256}\n`)
    expect(text).toContain(`hm-${home.running.gateway.serial}.local`)
    const first = await answer<{ certificate: { fingerprint: string } }>('tls', 'show')
    expect(await printed('tls', 'renew')).toMatch(/^Renewed\.\nCA fingerprint/)
    const second = await answer<{ ca: { fingerprint: string }; certificate: { fingerprint: string } }>('tls', 'renew')
    expect(second.certificate.fingerprint).not.toBe(first.certificate.fingerprint)
    expect(second.ca.fingerprint).toBe(fingerprint256)
  })

  test('regenerate-ca makes a new CA, which a client has to trust anew', async () => {
    await using own = await TestHome.open('http', { settled: false })
    const old = own.ca
    const ended = await hm(['tls', 'regenerate-ca'], own.running.dataDir)
    expect(ended.stdout).toMatch(/^A new CA: every client has to fetch and trust it anew\.\nCA fingerprint/)
    expect(ended.stdout).toContain(new X509Certificate(own.ca).fingerprint256)
    expect(own.ca).not.toBe(old)
    const again = JSON.parse((await hm(['tls', 'regenerate-ca', '--json'], own.running.dataDir)).stdout) as {
      ca: { fingerprint: string }
    }
    expect(again.ca.fingerprint).toBe(new X509Certificate(own.ca).fingerprint256)
  })

  test('status tells how it is', async () => {
    const told = await answer('status')
    expect(told).toMatchObject({
      gateway: home.running.gateway.serial,
      home: 'Sonnenwinkel',
      port: home.running.gateway.port,
      units: { link: 'up', onTheBus: 35 },
      streams: { sockets: 0 },
    })
    const text = await printed('status')
    const { serial, port } = home.running.gateway
    expect(text).toMatch(
      new RegExp(
        `^Sonnenwinkel has been up for [^]+\\n {2}gateway +${serial}\\n {2}address +https://hm-${serial}\\.local:${port}\\n`,
      ),
    )
    expect(text).toMatch(/\n {2}link +up\n {2}units +35 in the house, 35 answer\n/)
    expect(text).toMatch(/\nNothing needs attention\.\nTimes are the home's \(Europe\/\w+\)\.\n$/)
    const all = await printed('status', '--all')
    expect(all).toMatch(new RegExp(`^gateway +${serial}\\nhome +Sonnenwinkel\\nport +${port}\\n`))
    expect(all).toMatch(/\n {2}framesIn +\d+\n/)
  })

  test('backup writes a file that a gateway starts on, and never over one that is there', async () => {
    const file = join(tempFolder(), 'backup.db')
    expect(await printed('backup', file)).toMatch(new RegExp(`^Wrote ${file} \\(\\d+ KiB\\)\\.`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file))).toEqual(['backup.db'])
    expect(await sentence('backup', file)).toContain('exists already')
    expect(await sentence('backup', join(file, 'x'))).toContain('could not be written')
    expect(readFileSync(file, 'latin1')).not.toContain(home.main.token.split('.').at(-1))
    expect(await answer('backup', join(tempFolder(), 'second.db'))).toMatchObject({
      bytes: expect.any(Number) as number,
    })

    // On another machine: the configuration from the backup, the keys of TLS as they are.
    const dataDir = join(tempFolder(), 'data')
    mkdirSync(dataDir)
    cpSync(file, join(dataDir, 'core.db'))
    await using restored = await TestGateway.open({ dataDir, settled: false })
    expect(restored.gateway.serial).toBe(home.running.gateway.serial)
    await using there = await TestHome.at('http', restored)
    expect(await there.get('/v1/integration', home.main.token)).toMatchObject({ integration: { id: home.main.id } })
    expect((await there.get('/v1/house'))['floors']).toHaveLength(3)
  })
})

const VERBS: readonly (readonly string[])[] = [
  ['integration', 'list'],
  ['integration', 'show', 'x'],
  ['integration', 'create', '--name', 'N'],
  ['integration', 'set', 'x', 'mdns=on'],
  ['integration', 'expose', 'x', 'all'],
  ['integration', 'disable', 'x'],
  ['integration', 'enable', 'x'],
  ['integration', 'delete', 'x'],
  ['key', 'create', '--integration', 'x'],
  ['key', 'list'],
  ['key', 'revoke', 'x'],
  ['agent', 'requests'],
  ['agent', 'accept', 'x'],
  ['agent', 'deny', 'x'],
  ['agent', 'list'],
  ['agent', 'create', '--integration', 'x', '--name', 'N', '--platform', 'P'],
  ['agent', 'revoke', 'x'],
  ['agent', 'confirm'],
  ['agent', 'confirm', 'x'],
  ['agent', 'watch'],
  ['home', 'show'],
  ['home', 'set', '--name', 'N'],
  ['house', 'show'],
  ['house', 'export'],
  ['house', 'place', 'x'],
  ['tls', 'show'],
  ['tls', 'renew'],
  ['tls', 'regenerate-ca'],
  ['status'],
  ['backup', 'x.db'],
]

describe('without a gateway', () => {
  test('every command says so in one sentence', async () => {
    const nowhere = join(tempFolder(), 'nowhere')
    const ended: Ended[] = []
    for (const [at, words] of VERBS.entries())
      ended.push(await hm(at % 2 === 0 ? words : [...words, '--json'], nowhere))
    const expected = {
      code: 1,
      stdout: '',
      stderr: `No gateway runs on the data folder ${nowhere}. Start it with \`npm start\`, or name its folder with --data-dir or HM_DATA_DIR.\n`,
    }
    expect(ended).toEqual(VERBS.map(() => expected))
    expect(existsSync('x.db')).toBe(false)
  })

  test('and so where one was killed and left its socket file', async () => {
    const gone = await TestGateway.open({ settled: false })
    await gone.stop()
    writeFileSync(join(gone.dataDir, 'admin.sock'), '')
    expect(await hmProcess(['status'], gone.dataDir)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No gateway runs on the data folder [^\n]+\n$/) as string,
    })
    rmSync(gone.dataDir, { recursive: true })
  })
})

describe('bin/hm', () => {
  test('is the same from anywhere: by its path, by a link, and with the folder named before or behind', async () => {
    const bin = join(ROOT, 'bin/hm')
    const json = (ended: Ended): unknown => JSON.parse(ended.stdout)
    const folder = home.running.dataDir
    const [plain, before, behind] = await Promise.all([
      hmProcess(['status', '--json'], folder, [bin]),
      hmProcess(['--json', '--data-dir', folder, 'status'], '/nowhere', [bin]),
      hmProcess(['status', '--data-dir', folder, '--json'], '/nowhere', [bin]),
    ])
    for (const ended of [plain, before, behind])
      expect(json(ended)).toMatchObject({ gateway: home.running.gateway.serial })
  })

  test('explains itself, and what it does not know', async () => {
    const help = await hmProcess(['--help'])
    expect(help.code).toBe(0)
    for (const word of ['integration', 'key', 'agent', 'home', 'house', 'tls', 'status', 'backup', 'sim'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${word}\\b`, 'm'))
    const unknown = await hmProcess(['integrations'])
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/^error: unknown command 'integrations'/)
    expect((await hmProcess(['integration', 'create'])).stderr).toContain(
      "required option '--name <name>' not specified",
    )
  })
})
