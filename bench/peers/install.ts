import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../.generated/peers')
const INSTALL_MS_MAX = 300_000

/**
 * Installs exact versions into the peer's folder, which git ignores, without install scripts. Returns the folder.
 * @throws Error if npm fails
 */
export function installed(
  name: string,
  packages: Readonly<Record<string, string>>,
  overrides: Readonly<Record<string, string>> = {},
): string {
  const folder = join(FOLDER, name)
  if (isThere(folder, packages)) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages, overrides }))
  process.stdout.write(`Installing ${name} …\n`)
  const [command, ...first] = npm()
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  const done = spawnSync(command, [...first, 'install', ...flags], {
    cwd: folder,
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  })
  if (done.status === 0 && isThere(folder, packages)) return folder
  const errorLine = done.stderr?.split('\n').find((line) => /^npm (?:error|ERR!) (?!code)/.test(line))
  const why = errorLine?.replace(/^npm (?:error|ERR!) (?:\w+ )?/, '') ?? done.error?.message ?? 'npm gave no reason'
  throw new Error(`it could not be installed: ${why}`)
}

/** The npm that started this command with the same Node, else the one in PATH. */
function npm(): readonly [string, ...string[]] {
  const running = process.env['npm_execpath']
  return running !== undefined && /npm-cli\.c?js$/.test(running) ? [process.execPath, running] : ['npm']
}

function isThere(folder: string, packages: Readonly<Record<string, string>>): boolean {
  return Object.entries(packages).every(([name, version]) => {
    const file = join(folder, 'node_modules', name, 'package.json')
    return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === version
  })
}
