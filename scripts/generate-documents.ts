// Writes all generated documents. With --check it only reports outdated ones.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documents } from '../src/documents/documents.ts'
import { SCHEMA, schemaOf } from '../src/db/database.ts'
import { registerJson, registerTables } from '../src/hmhc/registers/document.ts'
import { intentTable } from '../src/intents/document.ts'
import { adminContract, clientContract } from './client-contract.ts'
import { LIMITS_PAGE, limitsPage } from './limits-page.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const checking = process.argv.includes('--check')

const contracts = documents()
const sources = globSync(['src/**/*.ts', 'relay/**/*.ts', 'client/src/*.ts'], { cwd: root }).map((path) => ({
  path,
  text: committed(path) ?? '',
}))
const generated = [
  ...contracts,
  { path: 'client/src/contract.ts', text: clientContract(contract('openapi'), contract('asyncapi')) },
  { path: 'console/src/lib/admin-contract.ts', text: adminContract(contract('openapi', 'admin')) },
  withTables('docs/hmhc-registers.md', '## Tables\n\n', registerTables()),
  { path: 'docs/hmhc-registers.json', text: registerJson() },
  { path: LIMITS_PAGE, text: limitsPage(committed(LIMITS_PAGE) ?? '', sources) },
  withTables('docs/intents.md', '| Intent |', intentTable()),
  ...['src/db/core/migrations', 'src/db/history/migrations'].map((folder) => ({
    path: `${folder}/${SCHEMA}`,
    text: schemaOf(join(root, folder)),
  })),
]

for (const { path, text } of generated) {
  if (committed(path) === text) continue
  if (checking) {
    console.error(`${path} is out of date: run npm run docs:generate.`)
    process.exitCode = 1
    continue
  }
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`${path} written.`)
}

function contract(folder: string, name = folder): Parameters<typeof clientContract>[0] {
  const { text = '' } = contracts.find(({ path }) => path === `${folder}/${name}.json`) ?? {}
  return JSON.parse(text) as Parameters<typeof clientContract>[0]
}

/**
 * A page with a generated end. It replaces everything from `start`, a heading or the first cell of a table.
 */
function withTables(path: string, start: string, tables: string): { path: string; text: string } {
  const text = committed(path) ?? ''
  const cut = text.indexOf(start)
  if (cut < 0) throw new Error(`${path} has no place for its tables: ${start.trim()}`)
  return { path, text: `${text.slice(0, cut)}${start.startsWith('#') ? start : ''}${tables}\n` }
}

function committed(path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
