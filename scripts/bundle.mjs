// Keeps a bundle of the sources (gateway-build.mjs), which starts faster than a thousand files and needs less memory.
// Each build stamps the files that it consists of, so that no start runs another version of them.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Builds take turns in as many folders, because gateways that still run load parts of theirs later. */
const FOLDERS = 3
/** Files that decide what a build consists of, beside its inputs. */
const RULES = [
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
  'scripts/gateway-build.mjs',
  ...['', 'src/lib/', 'src/wire/', 'src/tls/', 'client/'].map((folder) => `${folder}package.json`),
]

const cacheOf = (root) => join(root, 'node_modules', '.cache', 'gateway')

/** The last build's number and the stamps of its files by path, or null. */
function lastBuild(root) {
  try {
    return JSON.parse(readFileSync(join(cacheOf(root), 'current.json'), 'utf8'))
  } catch {
    return null
  }
}

/** Returns the folder of the bundle, or null if a file that it consists of has changed. */
export function currentBundle(root) {
  const last = lastBuild(root)
  const isCurrent = last !== null && Object.entries(last.stamps).every(([path, stamp]) => stampOf(root, path) === stamp)
  return isCurrent ? join(cacheOf(root), String(last.number)) : null
}

/** True if there is a bundle of earlier sources. */
export const isOutdated = (root) => lastBuild(root) !== null && currentBundle(root) === null

/** A copy may keep the time of modification, but not the time of change. Null for a file that is missing or newer. */
function stampOf(root, path, beforeMs = Infinity) {
  const { size, mtimeMs, ctimeMs } = statSync(join(root, path), { throwIfNoEntry: false }) ?? {}
  return ctimeMs < beforeMs ? `${size} ${mtimeMs} ${ctimeMs}` : null
}

/**
 * Builds the bundle if necessary. Returns its folder, or null with a sentence if it cannot be built, for example in a
 * read-only checkout.
 * @param {{ root: string, say: (line: string) => void }} options
 */
export async function bundle({ root, say }) {
  try {
    const current = currentBundle(root)
    if (current !== null) return current
    const { lock } = await import('./setup.mjs')
    const unlock = await lock(root, say)
    try {
      return currentBundle(root) ?? (await build(root))
    } finally {
      unlock()
    }
  } catch (error) {
    say(`The gateway starts from its sources, which takes longer: ${error.message}`)
    return null
  }
}

async function build(root) {
  const { buildGateway } = await import('./gateway-build.mjs')
  const number = ((lastBuild(root)?.number ?? 0) % FOLDERS) + 1
  const folder = join(cacheOf(root), String(number))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const begunMs = statSync(folder).ctimeMs
  const paths = [...(await buildGateway({ root, folder })), ...RULES]
  // A file that changes during the build may be bundled in its former state, so the next start builds again.
  const stamps = Object.fromEntries(paths.map((path) => [path, stampOf(root, path, begunMs) ?? 'changed']))
  const next = join(folder, 'current.json')
  writeFileSync(next, JSON.stringify({ number, stamps }))
  renameSync(next, join(cacheOf(root), 'current.json'))
  return folder
}
