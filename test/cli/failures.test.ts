import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { runHm, reportOf } from '../../src/cli/run-command-line.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line like `bin/hm`, in this process, with the logins of this folder. */
async function ran(config: string, ...words: readonly string[]): Promise<Ran> {
  const written = { out: '', err: '' }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (written.out += String(text)) !== ''),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => (written.err += String(text)) !== ''),
  ]
  vi.stubEnv('XDG_CONFIG_HOME', config)
  vi.stubEnv('HM_PROFILE', '')
  try {
    return { code: await runHm(words), ...written }
  } finally {
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}

const FAILURES: readonly (readonly [words: string, exitCode: number, code: string, message: RegExp])[] = [
  ['devices --nope --json', 1, 'usage', /^Unknown option '--nope'\.$/],
  ['devices --rom x --json', 1, 'usage', /Did you mean --room/],
  ['on --json', 1, 'usage', /^Missing required argument 'name'\.$/],
  ['energy --period moon --json', 1, 'usage', /'moon' is invalid/],
  ['--json', 1, 'usage', /^Name a command/],
  ['key --json', 1, 'usage', /^Name a command/],
  ['nothing --json', 1, 'usage', /^Unknown command 'nothing'\.$/],
  ['status --nope --json', 3, 'usage', /Unknown option/],
  ['devices --json', 2, 'no_login', /not logged in/],
  ['completion sh --json', 1, 'no_shell', /"sh" is not supported/],
  ['login --relay-ca x hmc1_x --json', 1, 'no_connection_code', /^This is not a connection code/],
  ['key list --json --data-dir /nowhere/at/all', 1, 'no_gateway', /^No gateway runs on the data folder/],
  ['sim --tcp x --json', 1, 'settings', /^--tcp is "x"/],
]

describe('a failure of hm', () => {
  proves('hm.refusals', 'is with --json always an object of the same shape on the error channel', async () => {
    const config = tempFolder()
    for (const [words, exitCode, code, message] of FAILURES) {
      const { code: ended, out, err } = await ran(config, ...words.split(' '))
      const shape = {
        error: { code, message: expect.stringMatching(message) as string, appAction: null, retryAfter: null },
      }
      expect([ended, out, JSON.parse(err)], words).toEqual([exitCode, '', shape])
    }
  })

  proves('hm.refusals', 'is a sentence without --json, and an unknown option points to the help', async () => {
    const config = tempFolder()
    expect(await ran(config, 'devices', '--nope')).toEqual({
      code: 1,
      out: '',
      err: "error: unknown option '--nope'\nAdd --help for help.\n",
    })
    expect((await ran(config, 'key')).err).toContain('Usage: hm key')
    // Words after -- are always names.
    expect((await ran(config, 'on', '--', '--json')).err).toMatch(/^You are not logged in/)
  })

  proves('hm.refusals', 'is a login failure if the login file cannot be used', async () => {
    const config = tempFolder()
    mkdirSync(join(config, 'hm'))
    writeFileSync(join(config, 'hm/profiles.json'), '{', { mode: 0o600 })
    const { code, err } = await ran(config, 'devices', '--json')
    expect([code, JSON.parse(err)]).toMatchObject([2, { error: { code: 'login_file' } }])
  })

  proves('hm.refusals', 'is otherwise a defect, with its stack and its own exit code', async () => {
    const options = { isJson: true, isOfStatus: false }
    const { exitCode, text } = await reportOf(new RangeError('Too far.'), options)
    const { error } = JSON.parse(text ?? '') as { error: { code: string; message: string } }
    expect([exitCode, error.code]).toEqual([70, 'defect'])
    expect(error.message).toMatch(/RangeError: Too far\.\n +at /)
    expect((await reportOf(new RangeError('Too far.'), { ...options, isOfStatus: true })).exitCode).toBe(3)
  })
})
