/** Writes the table of docs/intents.md from src/intents. */
import { readFileSync, writeFileSync } from 'node:fs'
import { intentTable } from '../src/intents/document.ts'

const page = new URL('../docs/intents.md', import.meta.url)
const START = '| Intent |'
const text = readFileSync(page, 'utf8')
const cut = text.indexOf(START)
writeFileSync(page, `${cut < 0 ? text : text.slice(0, cut)}${intentTable()}\n`)
