import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLogbook } from '../../src/operations/logbook.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { TestOperator } from '#support/operations/test-operator.ts'
import { tempFolder } from '#support/temp-folder.ts'

const PASSWORD = 'Canary horse battery staple'
/** This text is in no word list and in no sentence of the gateway. */
const WRONG_WORD = 'canaryword'
const WRONG_PHRASE = `${'abandon '.repeat(11)}about`
const SETUP_CODE = 'CANARY-SETUP-CODE'
/** Client information in an MCP request. */
const envelope = (version: string): object => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'Test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})
let written = ''
const { log, logbook } = openLogbook('debug', (line) => (written += line))
let running: TestGateway

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, log, logbook, setupCode: SETUP_CODE })
})
afterAll(() => running[Symbol.asyncDispose]())

interface Lines {
  readonly level: string
  readonly lines: readonly { readonly seq: number; readonly level: string; readonly what: string }[]
}
const read = (query = ''): Promise<Lines> => running.admin.call<Lines & object>('GET', `/log${query}`)

type Call = TestGateway['admin']['call']

/** Sends every request with a recovery phrase, right and wrong; returns texts that would reveal a phrase. */
async function phrasesOf(call: Call): Promise<readonly string[]> {
  const { words, asked: places } = await call<{ words: string[]; asked: number[] }>('POST', '/backups/phrase')
  const typed = [WRONG_WORD, `${WRONG_WORD}s`]
  await expect(call('POST', '/backups/phrase/confirm', { words: typed })).rejects.toThrow('not words')
  await call('POST', '/backups/phrase/confirm', { words: places.map((place) => words[place - 1]) })
  const file = join(tempFolder(), 'home.hmb')
  await call('POST', '/backups/write', { file, encrypted: true })
  const restore = (phrase: string): Promise<object> => call('POST', '/restore', { file, check: true, phrase })
  await restore(words.join(' '))
  for (const phrase of [WRONG_PHRASE, words.toReversed().join(' '), `${WRONG_WORD} ${words.slice(1).join(' ')}`])
    await expect(restore(phrase)).rejects.toThrow(/phrase|word/)
  // A single word may be in a sentence by chance, two adjacent words may not.
  const pairs = words.slice(1).map((word, at) => [words[at] ?? '', word] as const)
  return [
    WRONG_WORD,
    WRONG_PHRASE.slice(0, 30),
    ...[...pairs, ...pairs.map(([one, other]) => [other, one] as const)].flatMap(besides),
  ]
}

const besides = ([one, other]: readonly [string, string]): readonly string[] => [`${one} ${other}`, `${one}","${other}`]

/** Requests access as an agent, polls with right and wrong codes, and gets a token; returns codes and token. */
async function paired(visitor: ConsoleVisitor, call: Call): Promise<readonly string[]> {
  const ask = (path: string, body: object) => visitor.ask({ path, method: 'POST', body, from: '127.0.6.1' })
  const { serial } = running.gateway.stores
  const { body } = await ask('/v1/pair', { gateway: serial, name: 'Canary', platform: 'Test' })
  const { code, userCode } = body as { code: string; userCode: string }
  const wrong = `${code.slice(0, -8)}CanaryXX`
  await ask('/v1/pair/token', { code: wrong })
  const { integration } = await call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Paired',
    settings: { agent_access: 'on' },
  })
  await call('POST', `/agents/requests/${userCode}/accept`, { integration: integration.id })
  const { body: handed } = await ask('/v1/pair/token', { code })
  return [code, wrong.slice(-20), (handed as { access_token: string }).access_token]
}

describe('the log', () => {
  proves('operations.log', 'is read by level and position, with the newest lines if there are many', () =>
    // The gateway itself writes nothing while its time stands still.
    running.still(async () => {
      for (const at of [1, 2, 3]) log.info({ at }, `Something happened ${at}.`)
      log.error({ err: new Error('broken') }, 'Something failed.')
      const { lines, level } = await read('?limit=2')
      expect([level, lines.map(({ what }) => what)]).toEqual(['debug', ['Something happened 3.', 'Something failed.']])
      const grave = await read('?level=error')
      expect(grave.lines.map(({ what }) => what)).toEqual(['Something failed.'])
      const after = await read(`?after=${lines[0]?.seq}`)
      expect(after.lines.map(({ what }) => what)).toEqual(['Something failed.'])
      await expect(read('?limit=0')).rejects.toThrow('limit')
    }),
  )

  proves('operations.log', 'is printed by the command line, with facts and stacks', async () => {
    log.warn({ unit: 'hall-light' }, 'A lamp is loose.')
    log.error({ err: new Error('broken') }, 'Something failed.')
    const { out } = await hm(running.dataDir, 'log', '--level', 'warn', '--since', '10m')
    expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}WARN {3}A lamp is loose\. {2}unit=hall-light$/m)
    expect(out).toMatch(/ERROR {2}Something failed\.\n {2}Error: broken\n {6}at /)
    log.warn({ node: 'a\u001b[31m\u009b' }, 'Said\n2026-01-01 00:00:00  ERROR  forged')
    log.error({ err: new Error('first\n2026-01-01 00:00:00  ERROR  forged') }, 'Something failed.')
    const escaped = (await hm(running.dataDir, 'log', '--level', 'warn')).out
    expect(escaped).toContain('Said\\u000a2026-01-01 00:00:00  ERROR  forged  node=a\\u001b[31m\\u009b\n')
    expect(escaped).toContain('\n  2026-01-01 00:00:00  ERROR  forged\n')
    expect((await hm(running.dataDir, 'log', '--level', 'warn', '--json')).out).toContain('"a\\u001b[31m\\u009b"')
    expect((await hm(running.dataDir, 'log', '--since', 'tomorrow')).err).toContain('"tomorrow" is not a time')
  })

  proves('operations.log', 'is written at a level that is changed while the gateway runs', async () => {
    expect((await hm(running.dataDir, 'log', 'level')).out).toBe('debug\n')
    expect((await hm(running.dataDir, 'log', 'level', 'error')).out).toBe(
      'The log level is error until the next start.\n',
    )
    log.warn({}, 'Nobody hears this.')
    expect((await read('?level=warn')).lines.map(({ what }) => what)).not.toContain('Nobody hears this.')
    expect((await hm(running.dataDir, 'log', 'level', 'loud')).err).toContain('"loud" is not a level')
    await hm(running.dataDir, 'log', 'level', 'debug')
    log.debug({}, 'Everybody hears this.')
    expect((await read()).lines.at(-1)?.what).toBe('Everybody hears this.')
  })

  proves(
    'operations.log',
    'holds no token, cookie, code, password or phrase after any request',
    { tags: ['long'] },
    async () => {
      using visitor = new ConsoleVisitor(running)
      using operator = await TestOperator.of(running, 'metrics')
      const call = running.admin.call.bind(running.admin)
      await call('POST', '/persons', { name: 'Anna', password: PASSWORD })
      const link = await visitor.link('Anna')
      const me = await visitor.signInByLink('Anna')
      const settings = { agent_access: 'on' }
      const { integration } = await call<{ integration: { id: string } }>('POST', '/integrations', {
        name: 'D',
        settings,
      })
      const key = (await call<{ token: string }>('POST', '/keys', { integration: integration.id })).token
      const agent = { integration: integration.id, name: 'Claude', platform: 'Test' }
      const agentToken = (await call<{ token: string }>('POST', '/agents', agent)).token
      const wrong = `${key.slice(0, -20)}WrongWrongWrongWrong`
      const spoken = [...(await phrasesOf(call)), ...(await paired(visitor, call))]

      const bodies: readonly object[] = [
        { link },
        { link },
        { setupCode: SETUP_CODE },
        { setupCode: 'WRONG-CANARY-CODE' },
        { name: 'Anna', password: PASSWORD },
        { name: 'Anna', password: 'Wrong canary password' },
        { password: { deep: PASSWORD } },
      ]
      for (const [at, body] of bodies.entries()) await visitor.signIn(body, { from: `127.0.4.${at + 1}` })
      await visitor.as(me, 'POST', '/admin/v1/session/proof', { password: PASSWORD })
      await visitor.as(me, 'POST', '/admin/v1/persons', { name: 'Anna', password: PASSWORD })
      const places = ['/v1/house', '/v1/nowhere', '/mcp', '/admin/v1/metrics', '/console/session', '/v1/stream?token=']
      const tokens = [key, agentToken, wrong, operator.token]
      for (const [at, token] of tokens.entries())
        for (const place of places) {
          const path = place.endsWith('=') ? place + token : place
          const request = { path, headers: { authorization: `Bearer ${token}` }, from: `127.0.5.${at + 1}` }
          await visitor.ask(request)
          await visitor.ask({ ...request, method: 'POST', body: { token, password: PASSWORD } })
        }
      // Errors of the MCP server's library contain their input.
      for (const [header, claimed] of [
        [agentToken, '2026-07-28'],
        ['2026-07-28', agentToken],
      ] as const)
        await visitor.ask({
          path: '/mcp',
          method: 'POST',
          headers: {
            authorization: `Bearer ${agentToken}`,
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': header,
          },
          from: '127.0.5.9',
          body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope(claimed) } },
        })
      expect(written).toContain('An MCP request failed.')
      // A defect is logged with its error, which may not contain any part of the request.
      const { core } = running.gateway.stores
      await running.still(async () => {
        core.db.exec('ALTER TABLE integrations RENAME TO elsewhere')
        core.change(() => {})
        for (const token of tokens)
          await visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })
        await visitor.signIn({ name: 'Anna', password: PASSWORD }, { from: '127.0.4.100' })
        core.db.exec('ALTER TABLE elsewhere RENAME TO integrations')
      })
      expect(written).toContain('A request failed.')
      const secretOf = (token: string): string => token.slice(token.lastIndexOf('.') + 1)
      const secrets = [
        ...spoken,
        PASSWORD,
        'Wrong canary',
        SETUP_CODE,
        'WRONG-CANARY',
        link,
        me.cookie,
        me.half,
        ...tokens.map(secretOf),
      ]
      expect(secrets.filter((secret) => secret === '' || written.includes(secret))).toEqual([])
      const inMemory = JSON.stringify(await read('?limit=2000'))
      expect(secrets.filter((secret) => inMemory.includes(secret))).toEqual([])
    },
  )
})

test('a follower gets each line once, in order', () =>
  running.still(async () => {
    const from = (await read('?limit=1')).lines.at(-1)?.seq ?? 0
    for (const at of [1, 2, 3]) log.info({}, `Followed ${at}.`)
    const first = await read(`?after=${from}&limit=2`)
    const next = await read(`?after=${first.lines.at(-1)?.seq}`)
    expect([first, next].map(({ lines }) => lines.map(({ what }) => what))).toEqual([
      ['Followed 2.', 'Followed 3.'],
      [],
    ])
  }))
