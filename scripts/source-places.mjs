// The first part of the bundle (gateway-build.mjs). Makes stacks name places in the sources. Node's --enable-source-maps
// would read and keep all maps at the start. Here the first stack reads the map, and a garbage collection drops it.

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const BUILT = new URL('.', import.meta.url).href
const PLACE = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/

/** Source maps by file URL, until a garbage collection drops them. */
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

/** Returns the source map, or null if it cannot be read. The stack then names the bundle. */
function mapOf(file) {
  const cached = maps.get(file)?.deref()
  if (cached !== undefined) return cached
  try {
    const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')))
    maps.set(file, new WeakRef(map))
    return map
  } catch {
    return null
  }
}
