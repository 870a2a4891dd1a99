// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Modules that a start with an existing folder does not need; the first request that needs one loads it. */
const LATE = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@modelcontextprotocol/server',
  '@scure/bip39',
  '@simplewebauthn/server',
  'ajv',
  'modern-tar',
  'multicast-dns',
  'node-forge',
  'oidc-provider',
  'serialport',
  'yaml',
]

interface Loaded {
  readonly files: readonly string[]
  readonly builtin: readonly string[]
  readonly schemas: number
}

async function started(dataDir: string, report: string, args: readonly string[] = []): Promise<Loaded> {
  const probe = join(import.meta.dirname, '../support/gateway/report-loaded-modules.mjs')
  const env = { HM_LOADED: report, NODE_OPTIONS: `--import=${probe}` }
  const gateway = await GatewayProcess.start({ dataDir, env, args })
  expect((await gateway.kill('SIGTERM')).code).toBe(0)
  return JSON.parse(readFileSync(report, 'utf8')) as Loaded
}

/**
 * Schemas whose fields are made on first use (`src/lib/late-object.ts`) would be 3,000 more. All forms of parts of rules
 * are among these, because a start reads the rules of the home.
 */
const SCHEMAS_MAX = 2_500

test('a start with an existing folder loads no module and makes few schemas that only some requests need', async () => {
  const dataDir = tempFolder()
  const report = join(tempFolder(), 'loaded.json')
  const first = await started(dataDir, report)
  expect(first.files.filter((file) => file.includes('/node_modules/node-forge/'))).not.toEqual([])
  const { files, builtin, schemas } = await started(dataDir, report)
  expect(schemas).toBeGreaterThan(1_000)
  expect(schemas).toBeLessThan(SCHEMAS_MAX)
  expect(files.length).toBeGreaterThan(100)
  const packages = new Set(files.map((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]))
  expect(packages).toContain('fastify')
  expect(LATE.filter((name) => packages.has(name))).toEqual([])
  // Node's fetch needs 9 MiB.
  expect(builtin.filter((name) => name.includes('undici'))).toEqual([])
})

test('a home with its own units loads no module of the simulated house', async () => {
  const report = join(tempFolder(), 'loaded.json')
  const { files } = await started(tempFolder(), report, ['--hmhc', 'tcp://127.0.0.1:1'])
  expect(files.some((file) => file.includes('/src/hmhc/'))).toBe(true)
  expect(files.filter((file) => /\/src\/(?:sim|demo)\//.test(file))).toEqual([])
})
