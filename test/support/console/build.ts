import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

/** What esbuild tells of a file that it wrote: what it imports, and the source that it begins with. */
export interface BuiltFile {
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
  readonly entryPoint?: string
}

const DIST = join(PROJECT_ROOT, 'console/dist')

/** All files of the build by their names in its folder. */
export function builtFiles(): ReadonlyMap<string, BuiltFile> {
  const { outputs } = JSON.parse(readFileSync(join(DIST, '.metafile'), 'utf8')) as {
    readonly outputs: Readonly<Record<string, BuiltFile>>
  }
  return new Map(Object.entries(outputs).map(([path, file]) => [nameOf(path), file]))
}

/** The name of a file of the build, from its path at build time. */
export const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** The bytes of a file of the build. */
export const builtBytes = (name: string): Buffer =>
  readFileSync(join(DIST, name.includes('-') ? join('assets', name) : name))
