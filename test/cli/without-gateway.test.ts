import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { hm, type CliRun } from '#support/gateway/cli.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'

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
  ['house', 'replace', 'x', '1'],
  ['tls', 'show'],
  ['tls', 'renew'],
  ['tls', 'regenerate-ca'],
  ['tls', 'trust'],
  ['status'],
  ['backup', '--to', 'x.db'],
  ['backup', 'list'],
  ['backup', 'copy', 'x.db'],
]

describe('without a gateway', () => {
  test('every command says so in one sentence', { tags: ['long'] }, async () => {
    const nowhere = join(tempFolder(), 'nowhere')
    const ended: CliRun[] = []
    for (const [at, words] of VERBS.entries())
      ended.push(await hm(nowhere, ...(at % 2 === 0 ? words : [...words, '--json'])))
    const expected = {
      code: 1,
      out: '',
      err: `No gateway runs on the data folder ${nowhere}. Start it with \`npm start\`, or name its folder with --data-dir or HM_DATA_DIR.`,
    }
    expect(ended).toEqual(VERBS.map(() => expected))
    expect(existsSync('x.db')).toBe(false)
  })

  test('the same holds after a killed gateway left its socket file', { tags: ['long'] }, async () => {
    const killed = await TestGateway.open({ settled: false })
    await killed.stop()
    writeFileSync(join(killed.dataDir, 'admin.sock'), '')
    expect(await hmProcess(['status'], killed.dataDir)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No gateway runs on the data folder [^\n]+\n$/) as string,
    })
    rmSync(killed.dataDir, { recursive: true })
  })
})
