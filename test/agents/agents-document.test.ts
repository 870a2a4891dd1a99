import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { codeBlocksOf } from '#support/project/markdown-tables.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const run = promisify(execFile)
const page = readFileSync(join(PROJECT_ROOT, 'docs/agents.md'), 'utf8')
const lines = codeBlocksOf(page, 'sh').join('').replaceAll('\\\n', '').split('\n')

/** The command of the page that contains `words`. */
function printed(program: 'curl' | 'bin/hm', words: string): string {
  const found = lines.find((line) => line.startsWith(`${program} `) && line.includes(words))
  if (found === undefined) throw new Error(`docs/agents.md has no ${program} with ${words}`)
  return found
}

/** Arguments of a command, split as by a shell. */
const argumentsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(1)

/** Follows the steps of the page; `settings` are its environment variables. */
class Reader {
  readonly settings: Record<string, string>
  readonly #running: TestGateway
  readonly #dir = tempFolder()

  constructor(running: TestGateway) {
    this.#running = running
    this.settings = { GATEWAY: `https://localhost:${running.gateway.port}`, SERIAL: running.gateway.serial }
    writeFileSync(join(this.#dir, 'ca.pem'), readFileSync(running.gateway.caFile))
  }

  async curl(words: string): Promise<Record<string, unknown>> {
    const env = { PATH: process.env['PATH'], ...this.settings, NO_PROXY: '*', no_proxy: '*' }
    return JSON.parse((await run('sh', ['-c', printed('curl', words)], { cwd: this.#dir, env })).stdout) as Record<
      string,
      unknown
    >
  }

  /** Runs a command of the page, with `values` in place of its example values. */
  async hm(words: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
    const args = argumentsOf(printed('bin/hm', words)).map((word) => values[word] ?? word)
    const { code, out, err } = await hm(this.#running.dataDir, ...args)
    expect(code, err).toBe(0)
    return out
  }
}

const curl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

test.runIf(curl)(
  'the steps of docs/agents.md connect an agent, which opens the door with a confirmation',
  { tags: ['long'] },
  async () => {
    await using running = await TestGateway.open()
    const reader = new Reader(running)
    const { settings } = reader
    await reader.hm('integration create', { 'floor:ground-floor': 'all' })

    const request = await reader.curl('/v1/pair"')
    settings['CODE'] = request['code'] as string
    // No time passes between the two polls, even on a slow machine.
    await running.still(async () => {
      expect(await reader.curl('/v1/pair/token')).toEqual({ error: 'authorization_pending' })
      expect(await reader.curl('/v1/pair/token')).toEqual({ error: 'slow_down' })
    })
    expect(await reader.hm('agent requests')).toContain(request['userCode'])
    await reader.hm('agent accept', { 'BCDF-GHJK': request['userCode'] as string })
    const granted = await reader.curl('/v1/pair/token')
    expect(granted).toMatchObject({ token_type: 'Bearer', kind: 'agent' })
    expect(await reader.curl('/v1/pair/token')).toEqual({ error: 'expired_token' })

    settings['TOKEN'] = granted['access_token'] as string
    const { integration } = (await reader.curl('/v1/integration')) as {
      integration: { id: string; credential: object }
    }
    expect(integration.credential).toMatchObject({ kind: 'agent', name: 'Assistant', platform: 'Laptop' })
    const { id } = integration
    expect(await reader.hm('agent create', { ID: id })).toContain('hm_agent_')

    const lock = [...running.gateway.home.house.devices.values()].find((device) => device.class === 'lock')!
    settings['LOCK'] = encodeURIComponent(`${running.gateway.serial}:${id}:${lock.key}`)
    expect(await reader.curl('"op": "open"')).toMatchObject({ error: { code: 'unlock_not_allowed' } })
    await hm(running.dataDir, 'integration', 'set', id, 'allow_unlock=on')
    expect(await reader.curl('"op": "open"')).toMatchObject({ error: { code: 'confirmation_required' } })
    const listed = await reader.hm('agent confirm')
    const [, waiting = ''] = /^([A-Z]{4}) +\d{6} /m.exec(listed) ?? []
    await reader.hm('agent confirm BCDF', { BCDF: waiting })
    expect(await reader.curl('"op": "open"')).toMatchObject({ state: { locked: false } })
  },
)

describe('the client settings of docs/agents.md', () => {
  test.each(codeBlocksOf(page, 'json').filter((text) => text.includes('/mcp')))('%s', (text) => {
    const config = JSON.parse(text) as { mcpServers?: object; servers?: object }
    const [server] = Object.values(config.mcpServers ?? config.servers ?? {}) as object[]
    expect(JSON.stringify(server)).toMatch(/https:\/\/hm-[a-z0-9]{12}\.local:8490\/mcp/)
    expect(JSON.stringify(server)).toMatch(/Authorization/)
  })
})
