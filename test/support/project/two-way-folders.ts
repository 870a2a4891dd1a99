import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import { isTest, type ProjectFile } from './source-tree.ts'

const SOURCES = /^(?:src|relay|console|client|simulate|bench|scripts|python)\/.*\.(?:tsx?|mjs)$/

/**
 * Folders whose sources import each other, as `a ⇄ b`. Both have one parent, with everything in them; or one is a
 * folder's own files, the other a subfolder.
 */
export function twoWayFolders(files: readonly ProjectFile[]): string[] {
  const imported = new Set(
    files
      .filter((file) => SOURCES.test(file.path) && !isTest(file))
      .flatMap(importsOf)
      .flatMap((one) => (one.kind === 'file' ? branches(one.from, one.file) : [])),
  )
  return [...imported]
    .map((arrow) => arrow.split(' → '))
    .filter(([from = '', to = '']) => from < to && imported.has(`${to} → ${from}`))
    .map((pair) => pair.join(' ⇄ '))
    .sort()
}

/** The import as an arrow between the two folders where the paths diverge; empty inside one folder. */
function branches(from: string, to: string): string[] {
  const [a, b] = [posix.dirname(from).split('/'), posix.dirname(to).split('/')]
  const parting = a.findIndex((name, at) => name !== b[at])
  const shared = parting < 0 ? a.length : parting
  if (shared === a.length && shared === b.length) return []
  return [`${a.slice(0, shared + 1).join('/')} → ${b.slice(0, shared + 1).join('/')}`]
}
