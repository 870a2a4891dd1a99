import { X509Certificate } from 'node:crypto'
import { encode } from 'uqr'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'

let home: TestHome
let commands: HomeCommands
beforeAll(async () => {
  home = await TestHome.open('http', { settled: false })
  commands = new HomeCommands(home)
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
  test(
    'create, list, show, set, expose, disable, enable and delete work, and print the result',
    { tags: ['long'] },
    async () => {
      const made = await commands.answer<{ integration: Integration }>(
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
      const { token } = await commands.answer<{ token: string }>('key', 'create', '--integration', id)
      const { rooms, units } = (await home.get('/v1/house', token)) as {
        rooms: { name: string }[]
        units: { kind: string; gangs: { gang: number }[] }[]
      }
      expect(rooms.map(({ name }) => name)).toEqual(['Hall'])
      // The hall's panel has gangs in other rooms; the kitchen's panel shows only its picked gang.
      expect(units).toMatchObject([{ kind: 'module', gangs: [{ gang: 1 }] }])

      expect(await commands.output('integration', 'list')).toMatch(
        new RegExp(`^ID +NAME +STATE +EXPOSES +CREDENTIALS\\n[^]*${id} +Wall panel +enabled +3 picked +1\\n`),
      )
      expect(
        (await commands.answer<{ integrations: Integration[] }>('integration', 'list')).integrations.find(
          (integration) => integration.id === id,
        ),
      ).toMatchObject({ name: 'Wall panel', enabled: true, settings: made.integration.settings })
      const printed = await commands.output('integration', 'show', id)
      expect(new Set(/exposes  (.+)/.exec(printed)?.[1]?.split(' '))).toEqual(
        new Set(['room:hall', 'gang:kitchen-panel:1', 'scene:dinner']),
      )
      for (const [knob, value] of Object.entries(made.integration.settings))
        expect(printed).toContain(`${knob}=${value}`)
      expect(
        (await commands.answer<{ integration: Integration }>('integration', 'show', id)).integration,
      ).toMatchObject({
        id,
        credentials: [{ state: 'active' }],
      })

      expect(await commands.output('integration', 'set', id, 'structural=off', 'schedules=on')).toContain(
        'schedules=on',
      )
      expect(await home.get('/v1/integration', token)).toMatchObject({
        integration: { settings: { structural: 'off', schedules: 'on' } },
      })
      expect(await commands.output('integration', 'expose', id, 'all')).toContain('exposes  all')
      expect((await home.get('/v1/house', token))['floors']).toHaveLength(3)

      expect(await commands.output('integration', 'disable', id)).toContain('Wall panel  (disabled')
      expect(await status(token)).toBe(403)
      expect(await commands.output('integration', 'enable', id)).toContain('Wall panel  (enabled')
      expect(await status(token)).toBe(200)
      expect(await commands.output('integration', 'delete', id)).toBe(
        `Deleted ${id}; its credentials answer 401 from now on.\n`,
      )
      expect(await status(token)).toBe(401)
      expect(await commands.sentence('integration', 'show', id)).toBe(
        `There is no integration ${id}; \`bin/hm integration list\` lists them.`,
      )
    },
  )

  test('refuses unknown names in a sentence, without any change', { tags: ['long'] }, async () => {
    const { integration } = await commands.answer<{ integration: Integration }>(
      'integration',
      'create',
      '--name',
      'Careful',
    )
    const { id } = integration
    expect(await commands.sentence('integration', 'set', id, 'structural')).toContain('knob=value')
    expect(await commands.sentence('integration', 'set', id, 'structural=maybe')).toMatch(/structural/)
    expect(await commands.sentence('integration', 'set', id, 'doors=on')).toMatch(/doors/)
    expect(await commands.sentence('integration', 'expose', id, 'room:attic')).toMatch(/attic/)
    expect(await commands.sentence('integration', 'expose', id, 'gang:kitchen-panel:9')).toMatch(/kitchen-panel/)
    expect(await commands.sentence('integration', 'expose', id, 'all', 'room:hall')).toMatch(/all/)
    expect(await commands.sentence('integration', 'create', '--name', 'X', '--expose', 'everything')).toMatch(
      /everything/,
    )
    expect((await commands.answer<{ integration: Integration }>('integration', 'show', id)).integration).toMatchObject({
      expose: ['all'],
      settings: integration.settings,
    })
    await commands.output('integration', 'delete', id, '--json')
  })
})

/** Dark modules in a line of a QR code drawn with white blocks, two rows a line; empty for other lines. */
function drawnRows(line: string): readonly (readonly boolean[])[] {
  const [blocks] = /[█▀▄ ]{20,}/.exec(line) ?? []
  if (blocks === undefined) return []
  const rowOf = (dark: string): boolean[] => Array.from(blocks, (block) => dark.includes(block))
  return [rowOf('▄ '), rowOf('▀ ')]
}

describe('hm key', () => {
  test('create --qr draws the connection code as a QR code beneath it', async () => {
    const text = await commands.output('key', 'create', '--integration', home.main.id, '--qr')
    const [, code = ''] = /^connection {3}(hmc1_\S+)/m.exec(text) ?? []
    const { data, size } = encode(code, { ecc: 'L', border: 2 })
    const drawn = text.split('\n').flatMap(drawnRows)
    expect(drawn.slice(0, size)).toEqual(data)
    const agent = ['--name', 'Helper', '--platform', 'Laptop', '--qr', '--json']
    const made = await commands.answer<object>('agent', 'create', '--integration', home.main.id, ...agent)
    expect(made).toMatchObject({ connectionCode: expect.stringMatching(/^hmc1_/) as string })
  })

  test('create prints the token once, list never prints it, revoke ends it', async () => {
    const text = await commands.output('key', 'create', '--integration', home.main.id, '--name', 'tablet')
    const [, token = '', link = '', fingerprint = ''] =
      /^token {8}(hm_key_\S+)\nlink {9}(\w+)\nfingerprint {2}([0-9A-F:]+) /.exec(text) ?? []
    expect(await status(token)).toBe(200)
    expect(fingerprint).toBe(new X509Certificate(home.ca).fingerprint256)
    const made = await commands.answer<{ token: string; link: string; fingerprint: string }>(
      'key',
      'create',
      '--integration',
      home.main.id,
    )
    expect(Object.keys(made).toSorted()).toEqual(['connectionCode', 'fingerprint', 'link', 'token'])

    const list = await commands.output('key', 'list')
    expect(list).toMatch(new RegExp(`^LINK +KIND +NAME[^]*\\n${link} +key +tablet +API: Test +active `))
    expect(list).not.toContain(token.split('.').at(-1))
    expect(
      (await commands.answer<{ keys: { link: string; lastUsed: unknown }[] }>('key', 'list')).keys.find(
        (key) => key.link === link,
      )?.lastUsed,
    ).toMatchObject({ via: 'home' })

    expect(await commands.output('key', 'revoke', link)).toBe(
      `Revoked ${link}; its requests answer 401 and its open streams are closed.\n`,
    )
    expect(await status(token)).toBe(401)
    expect(await commands.answer('key', 'revoke', made.link)).toEqual({ revoked: made.link })
    expect(await commands.sentence('key', 'revoke', 'nobody')).toBe(
      'There is no credential nobody; `bin/hm key list` lists them.',
    )
    expect(await commands.sentence('key', 'create', '--integration', 'nobody')).toContain(
      'There is no integration nobody',
    )
  })
})
