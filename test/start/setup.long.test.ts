// @module-tag long
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { killedStarter } from '#support/killed-starter.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Setup {
  fetchPackage(
    wanted: { readonly name: string; readonly version: string; readonly integrity: string },
    options: { readonly root: string; readonly say: () => void; readonly what: string },
  ): Promise<void>
}
const { fetchPackage } = (await import(new URL('../../scripts/setup.mjs', import.meta.url).href)) as Setup

const NAME = 'a-node'
const VERSION = '24.0.0'
const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Content of a minimal package. */
function packed(): Buffer {
  const folder = tempFolder()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: NAME, version: VERSION }))
  execFileSync('npm', ['pack', '--silent'], { cwd: folder })
  return readFileSync(join(folder, `${NAME}-${VERSION}.tgz`))
}

/** Starts a registry with one package; returns its address. */
async function serves(content: Buffer): Promise<string> {
  const registry = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(content)
    const dist = { tarball: `http://${request.headers.host}/${NAME}.tgz`, integrity: integrityOf(content) }
    response.setHeader('content-type', 'application/json')
    const versions = { [VERSION]: { name: NAME, version: VERSION, dist } }
    return response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: VERSION }, versions }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void registry.close())
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
}

/** Fetches the package by a hash; returns its folder. */
async function fetched(content: Buffer, integrity: string): Promise<string> {
  vi.stubEnv('npm_config_registry', await serves(content))
  vi.stubEnv('npm_config_cache', tempFolder())
  vi.stubEnv('npm_config_noproxy', '127.0.0.1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const root = tempFolder()
  await fetchPackage({ name: NAME, version: VERSION, integrity }, { root, say: () => {}, what: 'fetching Node' })
  return join(root, '.node/node_modules', NAME)
}

test('a fetched package has the hash of the checkout', async () => {
  const content = packed()
  expect(existsSync(join(await fetched(content, integrityOf(content)), 'package.json'))).toBe(true)
})

test('a package with another hash is not installed, even if the registry confirms it', async () => {
  await expect(fetched(packed(), integrityOf(Buffer.from('what was expected')))).rejects.toThrow(
    /^npm received a package with a wrong hash while fetching Node/,
  )
})

test.each(['relay', 'start'])('npm run %s leaves no process behind when npm was killed', async (name) => {
  expect(await killedStarter('npm', 'run', name)).toBe('Ctrl-C stops it.')
})
