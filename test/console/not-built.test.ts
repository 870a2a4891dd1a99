import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Build {
  buildConsole(options: { root: string; say: (line: string) => void }): Promise<boolean>
}
const { buildConsole } = (await import(new URL('../../scripts/console-build.mjs', import.meta.url).href)) as Build

test('where esbuild could not be installed nothing is built, and one sentence says why', async () => {
  const root = tempFolder()
  mkdirSync(join(root, 'console', 'src'), { recursive: true })
  for (const name of ['preact', '@preact/signals', 'preact-iso', 'uqr'])
    mkdirSync(join(root, 'node_modules', name), { recursive: true })
  const said: string[] = []
  expect(await buildConsole({ root, say: (line) => said.push(line) })).toBe(false)
  expect(said).toEqual(['The pages of the console are not built: esbuild could not be installed here.'])
})

proves(
  'console.not-built',
  'a gateway without pages runs, and says at every address of a page that they are not there',
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
    // Whoever comes in all the same does everything by the administrators' API.
    expect((await visitor.as(await visitor.entered(), 'GET', '/admin/v1/status')).status).toBe(200)
  },
)
