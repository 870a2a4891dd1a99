import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliRun, hm, hmJson } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { startPairing, collectToken, DENIED, allowAgents, passSeconds, poll } from './device-flow.ts'

let home: TestHome
const QUOTED = `Anna's "helper" $(reboot)`

beforeAll(async () => {
  home = await TestHome.open('http', { clock: new PassingClock() })
  await allowAgents(home)
})
afterAll(() => home[Symbol.asyncDispose]())

/** Output of a successful command. */
async function printed(...words: readonly string[]): Promise<string> {
  const run = await hm(home.running.dataDir, ...words)
  expect([words.join(' '), run.code, run.err]).toEqual([words.join(' '), 0, ''])
  return run.out
}
const failed = (...words: readonly string[]): Promise<CliRun> => hm(home.running.dataDir, ...words)
const status = async (token: string): Promise<number> =>
  (await home.call({ method: 'GET', path: '/v1/house', token })).status
/** Waits until the limit per minute no longer applies. */
const later = (): Promise<void> => passSeconds(home, 61)

describe('hm agent requests, accept and deny', () => {
  test('list requests with the names that agents gave, and accept or deny them', async () => {
    expect(await printed('agent', 'requests')).toBe('No agent asks for access.\n')
    const first = await startPairing(home, {
      name: QUOTED,
      platform: '日本 "PC"',
      suggested: { exposure: ['Hall'], settings: { schedules: 'on' } },
    })
    const second = await startPairing(home, { record: home.main.id })
    const list = await printed('agent', 'requests')
    expect(list).toMatch(/^CODE +NAME +PLATFORM +FROM +UNTIL +INTEGRATION\n/)
    expect(list).toContain(`${first.userCode}  ${JSON.stringify(QUOTED)}  "日本 \\"PC\\""`)
    expect(list).toContain(`\n${first.userCode} suggests: see "Hall"; schedules=on\n`)
    expect(list).toMatch(
      new RegExp(`${second.userCode}  "Claude" +"Claude Code" +127\\.0\\.0\\.1 \\(home\\) .*${home.main.id}\n`),
    )
    expect(list).not.toContain(first.code)
    expect(await hmJson(home.running.dataDir, 'agent', 'requests')).toMatchObject({
      requests: [{ code: first.userCode, name: QUOTED }, { code: second.userCode }],
    })

    expect(await printed('agent', 'accept', first.userCode)).toBe(
      `Accepted "Anna's \\"helper\\" $(reboot)" via "日本 \\"PC\\"", for the integration ${home.main.id}. It collects its token with its next request.\n`,
    )
    const token = await collectToken(home, first.code)
    expect(await status(token)).toBe(200)
    expect(await printed('agent', 'deny', second.userCode)).toBe('Denied "Claude" via "Claude Code".\n')
    expect(await poll(home, second.code)).toMatchObject(DENIED)
    expect((await failed('agent', 'accept', second.userCode)).err).toContain('already denied')
    expect(await failed('agent', 'deny', 'XXXX-XXXX')).toMatchObject({
      code: 1,
      err: 'There is no agent request XXXX-XXXX.',
    })
  })

  test('--session, --replace, --add, --integration and --block', async () => {
    await later()
    const again = await startPairing(home, { name: 'Robot' })
    expect(await printed('agent', 'accept', again.userCode, '--session')).toContain(
      'Accepted "Robot" via "Claude Code" for one session, for the integration',
    )
    const session = await collectToken(home, again.code)
    expect(session).toMatch(/^hm_session_/)
    const link = session.split('.')[2]!

    const known = await startPairing(home, { name: 'Robot' })
    expect(await printed('agent', 'requests')).toContain(
      `${known.userCode} is an agent with the credential ${link}: accept with --replace or --add.\n`,
    )
    expect((await failed('agent', 'accept', known.userCode)).err).toContain(
      `${link} in Test: replace it, or add another credential.`,
    )
    expect((await failed('agent', 'accept', known.userCode, '--replace', 'nobody')).err).toContain(
      'nobody is not an active credential',
    )
    // Without another argument, the text after --replace is the code.
    expect(await printed('agent', 'accept', '--replace', known.userCode)).toContain(`\n${link} ends then.\n`)
    expect((await failed('agent', 'accept')).err).toContain('Name the agent')
    const replaced = await collectToken(home, known.code)
    expect([await status(session), await status(replaced)]).toEqual([401, 200])

    const third = await startPairing(home, { name: 'Robot' })
    await printed('agent', 'accept', third.userCode, '--add')
    const added = await collectToken(home, third.code)
    await later()
    const fourth = await startPairing(home, { name: 'Robot' })
    await printed('agent', 'accept', fourth.userCode, '--replace', added.split('.')[2]!)
    expect(await status(await collectToken(home, fourth.code))).toBe(200)
    expect([await status(added), await status(replaced)]).toEqual([401, 200])

    await later()
    const other = await home.integrate({ name: 'Other', settings: { agent_access: 'on' } })
    const fifth = await startPairing(home, { name: 'Fifth' })
    expect((await failed('agent', 'accept', fifth.userCode)).err).toContain(`Other (${other.id})`)
    expect((await failed('agent', 'accept', fifth.userCode, '--integration', 'nobody')).err).toBe(
      'There is no integration nobody.',
    )
    await printed('agent', 'accept', fifth.userCode, '--integration', other.id)
    expect(await home.get('/v1/integration', await collectToken(home, fifth.code))).toMatchObject({
      integration: { id: other.id },
    })
    await home.running.admin.call('DELETE', `/integrations/${other.id}`)

    const sixth = await startPairing(home, { name: 'Sixth' })
    expect(await printed('agent', 'deny', sixth.userCode, '--block')).toBe(
      'Denied "Sixth" via "Claude Code". Requests from 127.0.0.1 are blocked for a day.\n',
    )
    await expect(startPairing(home)).rejects.toThrow('429')
  })
})

describe('hm agent create, list and revoke', () => {
  test('create a credential without a request, list it without its secret, and revoke it', async () => {
    const text = await printed(
      'agent',
      'create',
      '--integration',
      home.main.id,
      '--name',
      QUOTED,
      '--platform',
      'Laptop',
    )
    const [, token = '', link = ''] =
      /^token {8}(hm_agent_\S+)\nlink {9}(\w+)\nfingerprint {2}[0-9A-F:]{95} /.exec(text) ?? []
    expect(await status(token)).toBe(200)
    const made = await hmJson<{ token: string; link: string; suspended: boolean }>(
      home.running.dataDir,
      'agent',
      'create',
      '--integration',
      home.main.id,
      '--name',
      'S',
      '--platform',
      'P',
      '--session',
    )
    expect(made).toMatchObject({ token: expect.stringMatching(/^hm_session_/) as string, suspended: false })

    const list = await printed('agent', 'list')
    expect(list).toMatch(/^LINK +KIND +NAME +PLATFORM +STATE +CREATED +LAST USED +INTEGRATION\n/)
    expect(list).toMatch(
      new RegExp(
        `\\n${link} +agent +${JSON.stringify(QUOTED).replaceAll(/[$()\\]/g, String.raw`\$&`)} +"Laptop" +active .* home +${home.main.id}\\n`,
      ),
    )
    expect(list).toMatch(new RegExp(`\\n${made.link} +session +"S" +"P" +active .* never `))
    expect(list).not.toContain(home.main.link)
    expect(list).not.toContain(token.split('.').at(-1))

    await home.change(home.main, { settings: { agent_access: 'off' } })
    expect(await printed('agent', 'list')).toMatch(new RegExp(`\\n${link} .* suspended `))
    expect(
      await printed('agent', 'create', '--integration', home.main.id, '--name', 'Early', '--platform', 'P'),
    ).toContain('It is suspended while agent_access is off: `bin/hm integration set')
    await allowAgents(home)

    expect(await printed('agent', 'revoke', link)).toBe(
      `Revoked ${link}; its requests answer 401 and its open streams are closed.\n`,
    )
    expect(await status(token)).toBe(401)
    expect((await failed('agent', 'revoke', 'nobody')).err).toBe(
      'There is no agent nobody; `bin/hm agent list` lists them.',
    )
    expect((await failed('agent', 'revoke', home.main.link)).err).toContain('There is no agent')
    expect(
      (await failed('agent', 'create', '--integration', 'nobody', '--name', 'N', '--platform', 'P')).err,
    ).toContain('There is no integration nobody')
    expect(
      (await failed('agent', 'create', '--integration', home.main.id, '--name', 'a\u202eb', '--platform', 'P')).err,
    ).toBe('name: must not hold control or invisible characters.')
  })
})

/** Creates an agent, and returns a function that sends its request to open the front door. */
async function opener(): Promise<() => Promise<{ status: number; text: string }>> {
  const { token } = await hmJson<{ token: string }>(
    home.running.dataDir,
    'agent',
    'create',
    '--integration',
    home.main.id,
    '--name',
    `Opener ${Math.floor(home.running.clock.monotonic())}`,
    '--platform',
    'P',
  )
  return () => home.call({ method: 'POST', path: home.at('front-door', '/control'), body: { op: 'open' }, token })
}

interface Waiting {
  confirmations: { id: string; code: string; what: string; label: string }[]
}

describe('hm agent confirm', () => {
  test('lists pending confirmations with their codes, confirms once, or declines', { tags: ['long'] }, async () => {
    expect(await printed('agent', 'confirm')).toBe('No confirmation is pending.\n')
    const open = await opener()
    expect((await open()).status).toBe(403)
    const {
      confirmations: [waiting],
    } = await hmJson<Waiting>(home.running.dataDir, 'agent', 'confirm')
    const list = await printed('agent', 'confirm')
    expect(list).toMatch(/^ID +CODE +WHAT +WHO +INTEGRATION +UNTIL\n/)
    expect(list).toContain(
      `\n${waiting!.id}  ${waiting!.code}  open lock "Front door" (HMLK front-door)  ${JSON.stringify(waiting!.label)}`,
    )
    expect(await printed('agent', 'confirm', waiting!.id.toLowerCase())).toBe(
      `Confirmed for ${JSON.stringify(waiting!.label)}: open lock "Front door" (HMLK front-door). It works once, within 2 minutes, when the agent asks again.\n`,
    )
    expect((await failed('agent', 'confirm', waiting!.id)).err).toBe(`${waiting!.id} has already been answered.`)
    expect((await open()).status).toBe(200)
    expect((await failed('agent', 'confirm', waiting!.id)).err).toContain(`No confirmation ${waiting!.id} is pending`)

    expect((await open()).status).toBe(403)
    const {
      confirmations: [second],
    } = await hmJson<Waiting>(home.running.dataDir, 'agent', 'confirm')
    expect(await printed('agent', 'confirm', second!.id, '--deny')).toBe(
      `Declined for ${JSON.stringify(second!.label)}: open lock "Front door" (HMLK front-door).\n`,
    )
    expect((await open()).status).toBe(403)
    expect(await printed('agent', 'confirm')).toBe('No confirmation is pending.\n')
  })
})
