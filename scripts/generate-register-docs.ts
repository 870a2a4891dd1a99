/** Writes the generated parts of docs/hmhc-registers.md and docs/hmhc-registers.json from src/hmhc/registers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { registerJson, registerTables } from '../src/hmhc/registers/document.ts'

const page = new URL('../docs/hmhc-registers.md', import.meta.url)
const MARK = '## Tables\n\n'
const text = readFileSync(page, 'utf8')
const cut = text.indexOf(MARK)
if (cut < 0) throw new Error('docs/hmhc-registers.md has no heading "Tables"')
writeFileSync(page, `${text.slice(0, cut)}${MARK}${registerTables()}\n`)
writeFileSync(new URL('../docs/hmhc-registers.json', import.meta.url), registerJson())
