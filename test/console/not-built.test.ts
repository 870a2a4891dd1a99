import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

test('the set-up fails with the reason if the console cannot be built', () => {
  const root = tempFolder()
  for (const folder of ['scripts', 'console', 'client/src'])
    cpSync(join(PROJECT_ROOT, folder), join(root, folder), {
      recursive: true,
      filter: (path) => !path.includes('dist'),
    })
  writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(root, 'package-lock.json'), '{ "packages": {} }')
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{ "packages": {} }')
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'setup'], { cwd: root, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^The pages of the console cannot be built: Cannot find package 'esbuild'/)
})

proves(
  'console.not-built',
  'a gateway without built pages runs, and explains it at every address of a page',
  async () => {
    await using running = await TestGateway.open({ ...ONE_UNIT, settled: false, pages: tempFolder() })
    using visitor = new ConsoleVisitor(running)
    for (const path of ['/console/', '/console/system/persons', '/console/trust']) {
      const { status, headers, text } = await visitor.ask({ path })
      expect([status, headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(text).toContain('The console is not built')
      expect(text).toContain('bin/hm')
      expect(headers?.['content-security-policy']).toContain("default-src 'none'")
      expect(headers?.['cache-control']).not.toContain('immutable')
    }
    expect((await visitor.ask({ path: '/console/assets/main.js' })).status).toBe(404)
    expect((await visitor.ask({ path: '/console/about' })).status).toBe(200)
    // Sign-in and the administrators' API still work.
    expect((await visitor.as(await visitor.signInByLink(), 'GET', '/admin/v1/status')).status).toBe(200)
  },
)
