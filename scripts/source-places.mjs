// The first part of the bundle (gateway-build.mjs): stacks name the places in the sources. Node's own
// --enable-source-maps does so too, but reads all maps at the start and keeps them; here a map is read by the
// first stack that somebody looks at, and dropped with the next collection.

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const BUILT = new URL('.', import.meta.url).href
const PLACE = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/

/** By the address of the file: the map, as long as nobody needed its memory. */
const maps = new Map()

Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `    at ${named(frame)}`)].join('\n')

function headOf(error) {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

function named(frame) {
  return String(frame).replace(PLACE, (place, file, line, column) => {
    if (!file.startsWith(BUILT)) return place
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!entry?.originalSource) return place
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

/** Null where it cannot be read: the place in the bundle is told then. */
function mapOf(file) {
  const kept = maps.get(file)?.deref()
  if (kept !== undefined) return kept
  try {
    const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')))
    maps.set(file, new WeakRef(map))
    return map
  } catch {
    return null
  }
}
