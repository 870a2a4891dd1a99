import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

/** Everything that a gateway reads besides its sources. */
const BESIDE = ['asyncapi', 'client', 'console', 'node_modules', 'openapi', 'package.json', 'scripts', 'wire']

/**
 * Creates the next version of the gateway in a folder: a new version number and one more migration of the
 * configuration. Returns its main file.
 */
export function nextVersion(folder: string): string {
  mkdirSync(folder, { recursive: true })
  for (const name of BESIDE.filter((name) => readdirSync(PROJECT_ROOT).includes(name)))
    symlinkSync(join(PROJECT_ROOT, name), join(folder, name))
  const src = join(folder, 'src')
  cpSync(join(PROJECT_ROOT, 'src'), src, { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  const migrations = join(src, 'db/core/migrations')
  const steps = readdirSync(migrations).filter((name) => /^\d{3}-/.test(name)).length
  const table = 'CREATE TABLE next_version (one INTEGER PRIMARY KEY) STRICT;\n'
  writeFileSync(join(migrations, `${String(steps + 1).padStart(3, '0')}-next.sql`), table)
  append(join(migrations, 'schema.sql'), `\n${table}`)
  const server = join(src, 'mcp/server.ts')
  writeFileSync(server, readFileSync(server, 'utf8').replace(/version: '[^']+'/, "version: '9.9.9'"))
  return join(src, 'main.ts')
}

const append = (file: string, text: string): void => writeFileSync(file, text, { flag: 'a' })
