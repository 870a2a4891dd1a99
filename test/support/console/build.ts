import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

/** esbuild's facts about an output file: imports and entry point. */
export interface BuiltFile {
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
  readonly entryPoint?: string
}

const DIST = join(PROJECT_ROOT, 'console/dist')

/** Files of the build by name. */
export function builtFiles(): ReadonlyMap<string, BuiltFile> {
  const { outputs } = JSON.parse(readFileSync(join(DIST, '.metafile'), 'utf8')) as {
    readonly outputs: Readonly<Record<string, BuiltFile>>
  }
  return new Map(Object.entries(outputs).map(([path, file]) => [nameOf(path), file]))
}

/** File name of a path at build time. */
export const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** Bytes of a file of the build. */
export const builtBytes = (name: string): Buffer =>
  readFileSync(join(DIST, name.includes('-') ? join('assets', name) : name))
