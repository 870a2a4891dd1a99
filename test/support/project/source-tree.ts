import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the project in the structure tests: its path from the checkout's root, with slashes, and its text. */
export interface ProjectFile {
  readonly path: string
  readonly text: string
}

export const PROJECT_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

const BINARY = /\.(?:png|jpg|ico|gz|db|woff2?)$/

/** Every file that is or would be in the repository: tracked, or new and not ignored. */
export function projectFiles(): ProjectFile[] {
  return paths()
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, text: readFileSync(join(PROJECT_ROOT, path), 'utf8') }))
}

/** Binary files, as link targets of documents. */
export const binaryFiles = (): ProjectFile[] =>
  paths()
    .filter((path) => BINARY.test(path))
    .map((path) => ({ path, text: '' }))

function paths(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(PROJECT_ROOT, path)))
}

export const isTypeScript = (file: ProjectFile): boolean => /\.tsx?$/.test(file.path)
export const isTest = (file: ProjectFile): boolean => file.path.startsWith('test/') || file.path.endsWith('.test.ts')
