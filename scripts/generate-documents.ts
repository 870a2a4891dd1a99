// Writes the documents of openapi/ and asyncapi/ from the contracts; with --check it only says whether they are up to date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documents } from '../src/api/documents/documents.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const checking = process.argv.includes('--check')

for (const { path, text } of documents()) {
  const file = join(root, path)
  if (committed(file) === text) continue
  if (checking) {
    console.error(`${path} does not match the contract: run npm run docs:generate.`)
    process.exitCode = 1
    continue
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`${path} written.`)
}

function committed(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
