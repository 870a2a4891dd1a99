import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from './source-tree.ts'

/** A package of the project: its folder from the root (empty for the gateway) and its allowed packages. */
export interface OwnPackage {
  readonly name: string
  readonly folder: string
  readonly dependencies: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(PROJECT_ROOT, folder, 'package.json'), 'utf8')) as Manifest
}

/** The gateway and its workspaces, the innermost folders first. */
export const OWN_PACKAGES: readonly OwnPackage[] = [...(manifestOf('').workspaces ?? []), ''].map((folder) => {
  const { name, dependencies = {} } = manifestOf(folder)
  return { name, folder, dependencies: Object.keys(dependencies) }
})

/** The path from the root of a source that is imported by the name of its package; null for other packages. */
export function ownFile(specifier: string): string | null {
  if (!specifier.endsWith('.ts')) return null
  const named = OWN_PACKAGES.find(({ name, folder }) => folder !== '' && specifier.startsWith(`${name}/`))
  return named === undefined ? null : named.folder + specifier.slice(named.name.length)
}

/** The package that a file of the project belongs to. */
export const packageOf = (path: string): OwnPackage =>
  OWN_PACKAGES.find(({ folder }) => folder === '' || path.startsWith(`${folder}/`))!
