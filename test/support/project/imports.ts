import { posix } from 'node:path'
import { ownFile } from './own-packages.ts'
import type { ProjectFile } from './source-tree.ts'

/**
 * One import of one file. `file`: another file of the project, as a path from the root, with `byName` if the import
 * names its package. `name`: a package.
 */
export type Import =
  | {
      readonly kind: 'file'
      readonly from: string
      readonly file: string
      readonly byName: boolean
      readonly typeOnly: boolean
    }
  | { readonly kind: 'package'; readonly from: string; readonly name: string; readonly typeOnly: boolean }

// An export is an import only with braces or a star, followed by `from`.
const STATIC =
  /^[ \t]*(?:import\b|export\b(?=\s+(?:type\s+)?[{*][^'"`;=()]*\bfrom\b))(?<clause>[^'"`;=()]*?)(?:\bfrom\s*)?['"](?<specifier>[^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"](?<specifier>[^'"\n]+)['"]/g
/** A worker or a data file next to the source. */
const BESIDE = /\bnew URL\(\s*['"](?<specifier>\.{1,2}\/[^'"\n]+)['"]\s*,\s*import\.meta\.url/g

/** Every rule of the structure asks for the imports of every file. */
const known = new WeakMap<ProjectFile, readonly Import[]>()

/** All imports of a file, unordered. Import lines in this project are simple enough to be read without a parser. */
export function importsOf(file: ProjectFile): readonly Import[] {
  const imports = known.get(file) ?? readImports(file)
  known.set(file, imports)
  return imports
}

function readImports(file: ProjectFile): Import[] {
  const code = withoutComments(file.text)
  const found: Import[] = []
  for (const match of code.matchAll(STATIC))
    found.push(resolve(file, match.groups!.specifier!, /^\s*type\b/.test(match.groups!.clause!)))
  for (const match of code.matchAll(DYNAMIC))
    found.push(resolve(file, match.groups!.specifier!, /\btypeof\s+$/.test(code.slice(0, match.index))))
  for (const match of code.matchAll(BESIDE)) found.push(resolve(file, match.groups!.specifier!, false))
  return found
}

function resolve(file: ProjectFile, specifier: string, typeOnly: boolean): Import {
  const from = file.path
  if (specifier.startsWith('.'))
    return { kind: 'file', from, file: posix.join(posix.dirname(from), specifier), byName: false, typeOnly }
  // The "imports" of every package.json let tests write `#support` for the package of their support.
  const own = ownFile(specifier.replace(/^#support\//, '@hm-gateway/test-support/'))
  if (own !== null) return { kind: 'file', from, file: own, byName: true, typeOnly }
  const parts = specifier.split('/')
  return { kind: 'package', from, name: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/'), typeOnly }
}

/**
 * The text with its comments blanked. Strings and regular expressions with comment signs are rare here and only lose
 * text.
 */
export function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(
      /(^|[\s,;{}()])\/\/[^\n]*/g,
      (comment, before: string) => before + ' '.repeat(comment.length - before.length),
    )
}
