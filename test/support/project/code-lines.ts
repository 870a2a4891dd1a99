import { parseSync } from 'oxc-parser'
import type { ProjectFile } from './source-tree.ts'

/** Lines of code by top folder, without generated files. */
export interface CodeLines {
  readonly total: number
  readonly generated: number
  readonly folders: ReadonlyMap<string, number>
}

const CODE = /\.(?:tsx?|mts|m?js|py|css|sql|sh)$/
const TEST = /\.test\.|(?:^|\/)tests?\//
const GENERATED = /^(?:client\/src|console\/src\/lib)\/(?:admin-)?contract\.ts$|\/migrations\/schema\.sql$/
/** Name for files of the root. */
const ROOT = 'root'

/** Counts the lines of code outside tests, without blank lines and comments. */
export function codeLines(files: readonly ProjectFile[]): CodeLines {
  const folders = new Map<string, number>()
  let generated = 0
  for (const file of files.filter(({ path }) => CODE.test(path) && !TEST.test(path))) {
    const lines = linesOf(file)
    if (GENERATED.test(file.path)) {
      generated += lines
      continue
    }
    const top = file.path.split('/')[0]!
    const folder = top === file.path ? ROOT : top
    folders.set(folder, (folders.get(folder) ?? 0) + lines)
  }
  return { total: [...folders.values()].reduce((sum, lines) => sum + lines, 0), generated, folders }
}

function linesOf(file: ProjectFile): number {
  return withoutComments(file)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

function withoutComments({ path, text }: ProjectFile): string {
  if (path.endsWith('.css')) return text.replace(/\/\*.*?\*\//gs, '')
  if (path.endsWith('.sql')) return text.replace(/^\s*--.*$/gm, '')
  if (/\.(?:py|sh)$/.test(path)) return text.replace(/^\s*#.*$/gm, '')
  return parseSync(path, text)
    .comments.toReversed()
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}
