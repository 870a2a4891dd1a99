// @module-tag repeated
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Runs a command in this process, and returns its exit code with both outputs. */
async function run(dataDir: string, ...words: readonly string[]) {
  const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const { code, out } = await hm(dataDir, ...words)
    return { code, stdout: out, stderr: errors.mock.calls.join('') }
  } finally {
    errors.mockRestore()
  }
}

proves('backup.progress', 'a restore prints its steps on standard error, and none with --json', async () => {
  const folder = tempFolder()
  const file = join(folder, 'home.hmb')
  await using running = await TestGateway.open({ settled: false })
  await running.admin.call('POST', '/backups/write', { file })
  expect(await run(running.dataDir, 'restore', file, '--check')).toMatchObject({
    code: 0,
    stderr: 'Opening the backup and checking every part …\nComparing the backup with the home …\n',
  })
  const atRest = join(folder, 'data')
  // `npm test` starts no process.
  const restored = LONG ? await hmProcess(['restore', file], atRest) : await run(atRest, 'restore', file)
  expect(restored.stdout).toMatch(/^Restored: /)
  expect(restored.stderr).toBe('Opening the backup and checking every part …\nRestoring the home …\n')
  const json = await run(atRest, 'restore', file, '--check', '--json')
  expect([json.code, json.stderr, Object.keys(JSON.parse(json.stdout) as object)]).toEqual([
    0,
    '',
    expect.arrayContaining(['at', 'contents', 'present']),
  ])
})
