import { X509Certificate } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hmProgram } from '../../src/cli/program.ts'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { hm } from '#support/gateway/cli.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { type HmExit, hmProcess } from '#support/gateway/hm-process.ts'

/** The demo house, and a new two-gang module without a place. */
const NEW_UNIT = {
  address: 120,
  model: 'HMHHX2',
  room: 'study',
  gangs: [
    { gang: 0, kind: 'switch', room: 'study', load: { kind: 'lamp', watts: 8, lux: 80 } },
    { gang: 1, kind: 'switch', room: 'landing', load: { kind: 'lamp', watts: 8, lux: 80 } },
  ],
} as const

let home: TestHome
let commands: HomeCommands
beforeAll(async () => {
  home = await TestHome.open('http', { sim: { plan: { ...DEMO_PLAN, units: [...DEMO_PLAN.units, NEW_UNIT] } } })
  commands = new HomeCommands(home)
})
afterAll(() => home[Symbol.asyncDispose]())

describe('hm about', () => {
  test('shows the running release, the versions of its databases, and its news', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }
    const steps = (name: string): string[] =>
      readdirSync(join(PROJECT_ROOT, 'src/db', name, 'migrations')).filter((file) => /^\d/.test(file))
    const answer = await commands.answer('about')
    const [core, history] = [steps('core').toSorted(), steps('history').toSorted()]
    const last = core.at(-1)?.slice('000-'.length, -'.sql'.length)
    expect(answer).toMatchObject({
      version,
      interface: '1.1.0',
      configuration: { version: core.length, step: last },
      history: { version: history.length },
    })
    const text = await commands.output('about')
    expect(text).toContain(`hm-gateway ${version}\n`)
    expect(text).toContain(`tables of version ${core.length} (${last})`)
    expect(text).toMatch(/\nAdded\n {2}- /)
  })
})

describe('hm home and hm house', () => {
  test('home show and set read and change name and place of the home', async () => {
    expect(await commands.output('home', 'show')).toMatch(/^name +Sonnenwinkel\ntimeZone +Europe\/Berlin\n/)
    const changed = await commands.answer<{ home: object }>(
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
    expect(await commands.output('home', 'set', '--name', 'Sonnenwinkel')).toContain('Sonnenwinkel')
    expect(await commands.sentence('home', 'set')).toContain('--name')
    expect(await commands.sentence('home', 'set', '--latitude', 'north')).toContain('north')
    expect(await commands.sentence('home', 'set', '--time-zone', 'Mars/Olympus')).toContain('timeZone')
  })

  test('show lists all with local ids, and export and import are a round trip', { tags: ['long'] }, async () => {
    const text = await commands.output('house', 'show')
    for (const line of [
      'floor ground-floor  Ground floor',
      '  room hall  Hall',
      '    hall-light  Hall light  light_switch HMHHX1  address 11',
      '      kitchen-panel:1  Dining table lamp  switch_gang  feeds a lamp  in dining-room',
      'in no room',
      '    dinner  Dinner',
    ])
      expect(text).toContain(`${line}\n`)
    const before = await commands.answer('house', 'show')
    const folder = tempFolder()
    const file = join(folder, 'house.yaml')
    expect(await commands.output('house', 'export', file)).toBe(`Wrote ${file}.\n`)
    expect(await commands.output('house', 'export')).toBe(readFileSync(file, 'utf8'))
    expect(await commands.sentence('house', 'export', file)).toBe(`${file} cannot be written: it exists already.`)

    const counts = '3 floors, 15 rooms, 34 units, 5 scenes, 0 automations and 0 schedules.'
    expect(await commands.output('house', 'import', '--check', file)).toBe(`This file holds ${counts}\n`)
    await commands.output('house', 'place', 'study-light', '--room', 'studio', '--name', 'Moved')
    expect(await commands.output('house', 'import', file)).toBe(`Imported ${counts}\n`)
    const after = await commands.answer('house', 'show')
    const withoutRevisions = (house: object): unknown =>
      JSON.parse(
        JSON.stringify(house, (key, value: unknown) =>
          ['revision', 'edits', 'reachable'].includes(key) ? undefined : value,
        ),
      )
    expect(withoutRevisions(after)).toEqual(withoutRevisions(before))
    expect(await commands.output('house', 'export')).toBe(readFileSync(file, 'utf8'))

    writeFileSync(join(folder, 'wrong.yaml'), readFileSync(file, 'utf8').replace('room: hall', 'room: moon'))
    expect(await commands.sentence('house', 'import', join(folder, 'wrong.yaml'))).toContain('moon')
    expect(await commands.sentence('house', 'import', join(folder, 'missing.yaml'))).toContain('cannot be read')
    expect(await commands.output('house', 'export')).toBe(readFileSync(file, 'utf8'))
  })

  test('place adds a unit found on the bus, moves it, and renames it', async () => {
    expect(await commands.output('house', 'show')).toMatch(
      /on the bus, without a place[^]*\n {4}120 +HMHHX2 +gang_module/,
    )
    expect((await commands.answer<{ unplaced: { address: number }[] }>('house', 'show')).unplaced).toMatchObject([
      { address: 120, model: 'HMHHX2', class: 'gang_module' },
    ])
    const placed = await commands.output(
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
    expect(placed).toBe('new-panel (New panel) is in study.\n')
    const { device } = (await home.get(home.at('new-panel:0'))) as { device: object }
    expect(device).toMatchObject({ name: 'Shelf light', room: home.id('room:study') })
    // It works from now on.
    const on = await home.call({
      method: 'POST',
      path: home.at('new-panel:1', '/control'),
      body: { op: 'set_power', args: { on: true } },
    })
    expect(on).toMatchObject({ status: 200, body: { state: { on: true } } })
    expect((await commands.answer<{ unplaced: unknown[] }>('house', 'show')).unplaced).toEqual([])
    expect(await commands.output('house', 'place', 'new-panel', '--no-room')).toBe(
      'new-panel (New panel) is in no room.\n',
    )
    expect(await commands.answer('house', 'place', 'new-panel', '--room', 'hall')).toMatchObject({
      unit: { id: 'new-panel', room: 'hall' },
    })
    await commands.output('house', 'place', 'new-panel', '--gang', '1=hall', '--gang-light', '0=yes', '1=no')
    expect(await commands.output('house', 'show')).toMatch(/new-panel:0 .*feeds a lamp[^]*new-panel:1 .*feeds no lamp/)
    await commands.output('house', 'place', 'dishwasher', '--light', 'unknown')
    expect(await commands.sentence('house', 'place', 'dishwasher', '--light', 'maybe')).toContain('yes, no and unknown')
    expect(await commands.sentence('house', 'place', 'new-panel', '--light', 'yes')).toBe(
      'new-panel is no switch, so light cannot be set.',
    )
    expect(await commands.sentence('house', 'place', 'new-panel', '--room', 'moon')).toBe('The house has no room moon.')
    expect(await commands.sentence('house', 'place', 'nothing', '--room', 'hall')).toContain('No such unit')
    expect(await commands.sentence('house', 'place', '121', '--id', 'x')).toContain('No such unit')
    expect(await commands.sentence('house', 'place', 'new-panel', '--gang', '3=hall')).toContain('no gang 3')
  })
})

describe('hm tls, status, backup', () => {
  test('tls show, renew and regenerate-ca print and change the certificates of clients', async () => {
    const { fingerprint256 } = new X509Certificate(home.ca)
    const text = await commands.output('tls', 'show')
    expect(text).toContain(`CA fingerprint  ${fingerprint256}\n`)
    expect(text).toContain(`hm-${home.running.gateway.serial}.local`)
    const first = await commands.answer<{ certificate: { fingerprint: string } }>('tls', 'show')
    expect(await commands.output('tls', 'renew')).toMatch(/^Renewed\.\nCA fingerprint/)
    const second = await commands.answer<{ ca: { fingerprint: string }; certificate: { fingerprint: string } }>(
      'tls',
      'renew',
    )
    expect(second.certificate.fingerprint).not.toBe(first.certificate.fingerprint)
    expect(second.ca.fingerprint).toBe(fingerprint256)
  })

  test('regenerate-ca makes a new CA that clients have to trust anew', { tags: ['long'] }, async () => {
    await using own = await TestHome.open('http', { settled: false })
    const old = own.ca
    const ended = await hm(own.running.dataDir, 'tls', 'regenerate-ca')
    expect(ended.out).toMatch(/^Every client has to fetch and trust the new CA\.\nCA fingerprint/)
    expect(ended.out).toContain(new X509Certificate(own.ca).fingerprint256)
    expect(own.ca).not.toBe(old)
    const again = JSON.parse((await hm(own.running.dataDir, 'tls', 'regenerate-ca', '--json')).out) as {
      ca: { fingerprint: string }
    }
    expect(again.ca.fingerprint).toBe(new X509Certificate(own.ca).fingerprint256)
    const { entries } = await own.running.admin.call<{ entries: object[] }>('GET', '/activity?kind=access')
    expect(entries).toContainEqual(
      expect.objectContaining({
        what: 'New CA created',
        cause: { source: 'person', name: 'administrator (command line)' },
      }),
    )
  })

  test('status prints the state', async () => {
    const answer = await commands.answer('status')
    expect(answer).toMatchObject({
      gateway: home.running.gateway.serial,
      home: 'Sonnenwinkel',
      port: home.running.gateway.port,
      units: { link: 'up', onTheBus: 35 },
      streams: { sockets: 0 },
    })
    const text = await commands.output('status')
    const { serial, port } = home.running.gateway
    expect(text).toMatch(
      new RegExp(
        `^Sonnenwinkel has been up for [^]+\\n {2}gateway +${serial}\\n {2}address +https://hm-${serial}\\.local:${port}\\n`,
      ),
    )
    expect(text).toMatch(/\n {2}line +up\n {2}units +35 in the house, 35 answer\n/)
    expect(text).toMatch(/\nAll is well\.\nTimes are the home's \(Europe\/\w+\)\.\n$/)
    const all = await commands.output('status', '--all')
    expect(all).toMatch(new RegExp(`^gateway +${serial}\\nhome +Sonnenwinkel\\nport +${port}\\n`))
    expect(all).toMatch(/\n {2}framesIn +\d+\n/)
  })

  test('backup copy writes a new file that a gateway can start on', { tags: ['long'] }, async () => {
    const file = join(tempFolder(), 'backup.db')
    expect(await commands.output('backup', 'copy', file)).toMatch(new RegExp(`^Wrote ${file} \\(\\d+ KiB\\)\\.`))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file))).toEqual(['backup.db'])
    expect(await commands.sentence('backup', 'copy', file)).toContain('exists already')
    expect(await commands.sentence('backup', 'copy', join(file, 'x'))).toContain('could not be written')
    expect(readFileSync(file, 'latin1')).not.toContain(home.main.token.split('.').at(-1))
    expect(await commands.answer('backup', 'copy', join(tempFolder(), 'second.db'))).toMatchObject({
      bytes: expect.any(Number) as number,
    })

    // Another machine has the configuration of the backup and the same TLS keys.
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

describe('bin/hm', () => {
  test('works from any folder, and takes the data folder after the command', { tags: ['long'] }, async () => {
    const bin = join(PROJECT_ROOT, 'bin/hm')
    const json = (ended: HmExit): unknown => JSON.parse(ended.stdout)
    const folder = home.running.dataDir
    const [plain, behind] = await Promise.all([
      hmProcess(['status', '--json'], folder, [bin]),
      hmProcess(['status', '--data-dir', folder, '--json'], '/nowhere'),
    ])
    for (const ended of [plain, behind]) expect(json(ended)).toMatchObject({ gateway: home.running.gateway.serial })
  })

  test('explains itself and unknown commands', { tags: ['long'] }, async () => {
    const help = hmProgram().helpInformation()
    for (const word of ['integration', 'key', 'agent', 'home', 'house', 'tls', 'status', 'backup', 'sim'])
      expect(help).toMatch(new RegExp(`^ {2}${word}\\b`, 'm'))
    const unknown = await hmProcess(['integrations'], home.running.dataDir)
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/^error: unknown command 'integrations'/)
    expect((await hmProcess(['integration', 'create'], home.running.dataDir)).stderr).toContain(
      "required option '--name <name>' not specified",
    )
  })
})
