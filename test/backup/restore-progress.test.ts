import { join } from 'node:path'
import { expect } from 'vitest'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

proves('backup.progress', 'a restore prints its steps on standard error, and none with --json', async () => {
  const folder = tempFolder()
  const file = join(folder, 'home.hmb')
  await using running = await TestGateway.open({ settled: false })
  await running.admin.call('POST', '/backups/write', { file })
  const served = await hmProcess(['restore', file, '--check'], running.dataDir)
  expect(served).toMatchObject({
    code: 0,
    stderr: 'Opening the backup and checking every part …\nComparing the backup with the home …\n',
  })
  const atRest = join(folder, 'data')
  const restored = await hmProcess(['restore', file], atRest)
  expect(restored.stdout).toMatch(/^Restored: /)
  expect(restored.stderr).toBe('Opening the backup and checking every part …\nRestoring the home …\n')
  const json = await hmProcess(['restore', file, '--check', '--json'], atRest)
  expect([json.code, json.stderr, Object.keys(JSON.parse(json.stdout) as object)]).toEqual([
    0,
    '',
    expect.arrayContaining(['at', 'contents', 'present']),
  ])
})
