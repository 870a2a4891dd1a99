// The output of `npm run build:home-assistant`, checked against the rules of HACS and Home Assistant (the schemas of HACS' own validation, repeated here).

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tempFolder } from '#support/temp-folder.ts'
import { filesInZip } from './zip.ts'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = join(ROOT, 'scripts/build-home-assistant.ts')
const REPOSITORY = 'https://example.org/owner/name'

const HacsJson = z.strictObject({
  name: z.string(),
  homeassistant: z.string().regex(/^\d{4}\.\d+\.\d+$/),
  zip_release: z.literal(true),
  filename: z.string(),
})
const Manifest = z.looseObject({
  domain: z.literal('hm_gateway'),
  name: z.string(),
  codeowners: z.array(z.string()),
  documentation: z.url(),
  issue_tracker: z.url(),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
})

function built(...args: readonly string[]): {
  readonly folder: string
  readonly component: string
  text(path: string): string
} {
  const to = tempFolder()
  execFileSync(process.execPath, [SCRIPT, '--to', to, ...args])
  const folder = join(to, 'built')
  return {
    folder,
    component: join(folder, 'custom_components/hm_gateway'),
    text: (path) => readFileSync(join(folder, path), 'utf8'),
  }
}

const MANIFEST = 'custom_components/hm_gateway/manifest.json'

test('the folder is a repository that HACS takes', () => {
  const { folder, text } = built('--repository', `${REPOSITORY}/`)
  const root = readdirSync(folder)
  expect(root).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'custom_components', 'hacs.json']))
  const components = readdirSync(join(folder, 'custom_components'), { withFileTypes: true })
  expect(components.filter((entry) => entry.isDirectory()).map((entry) => entry.name)).toEqual(['hm_gateway'])
  const manifest: unknown = JSON.parse(text(MANIFEST))
  expect(Manifest.parse(manifest)).toMatchObject({
    documentation: REPOSITORY,
    issue_tracker: `${REPOSITORY}/issues`,
    version: (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version,
  })
  const [first, second, ...others] = Object.keys(manifest as object)
  expect([first, second, ...others]).toEqual(['domain', 'name', ...[...others].sort()])
  const hacs = HacsJson.parse(JSON.parse(text('hacs.json')))
  expect(hacs.filename).toBe('hm_gateway.zip')
})

test('another address for issues is accepted, and a text that is no address is refused', { tags: ['long'] }, () => {
  const issues = 'https://example.org/tracker'
  const { text } = built('--repository', REPOSITORY, '--issues', issues)
  expect(Manifest.parse(JSON.parse(text(MANIFEST))).issue_tracker).toBe(issues)
  const refused = spawnSync(process.execPath, [SCRIPT, '--to', tempFolder(), '--repository', 'owner/name'], {
    encoding: 'utf8',
  })
  expect([refused.status, refused.stderr]).toEqual([
    1,
    'owner/name is no web address: give one like https://example.org/owner/name.\n',
  ])
})

test('the file to unpack has what the folder has, and nothing of the tests', { tags: ['long'] }, () => {
  const { folder, component } = built()
  const packed = filesInZip(readFileSync(join(folder, '../hm_gateway.zip')))
  const names = readdirSync(component, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(component.length + 1))
  expect([...packed.keys()].sort()).toEqual(names.sort())
  for (const [name, content] of packed) expect(content.equals(readFileSync(join(component, name))), name).toBe(true)
  expect(names).toEqual(
    expect.arrayContaining(['manifest.json', 'LICENSE', 'hm_gateway_client/py.typed', 'brand/icon.png']),
  )
})

test.each([
  ['brand/icon.png', 256],
  ['brand/icon@2x.png', 512],
])('%s has the size that Home Assistant shows', (name, pixels) => {
  const picture = readFileSync(join(ROOT, 'python/home-assistant/custom_components/hm_gateway', name))
  expect(picture.subarray(1, 4).toString('latin1')).toBe('PNG')
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([pixels, pixels])
})
