import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ownFile } from './own-packages.ts'
import { PROJECT_ROOT } from './source-tree.ts'

const NAMES_ITS_FILE = /^(?:\.\.?|#support|@hm-gateway)\/.*\.ts$/
/** vitest imports a test file, or a setup file, with the time in ms, so that Node runs it again. */
const ASKED_AT = /^(file:.*\.ts)%3Fvitest=(\d+)$/
const ROOT = pathToFileURL(`${PROJECT_ROOT}/`)
const timesRun = new Map<string, number>()
let registered = false

/**
 * Resolves imports between files of the project here, once for all test files of a worker. vitest would report each
 * import to its main process. That is useless without watch mode, and every message costs both processes time. Such an
 * import names its file, so no search is needed.
 */
export function resolvePlainly(): void {
  if (registered || process.env['VITEST_MODE'] === 'WATCH') return
  registered = true
  registerHooks({
    resolve(specifier, context, next) {
      const [, file, time] = ASKED_AT.exec(specifier) ?? []
      if (file !== undefined && time !== undefined) return typescript(runAgain(file, time.length))
      const { parentURL } = context
      if (parentURL === undefined || !NAMES_ITS_FILE.test(specifier)) return next(specifier, context)
      const own = ownFile(specifier.replace(/^#support/, '@hm-gateway/test-support'))
      return typescript(own === null ? new URL(specifier, parentURL).href : new URL(own, ROOT).href)
    },
  })
}

const typescript = (url: string) => ({ url, format: 'module-typescript', shortCircuit: true })

/**
 * The URL by which Node runs a file again. It has a count in place of vitest's time, so that another run finds the
 * compiled file.
 */
function runAgain(file: string, digits: number): string {
  const times = timesRun.get(file) ?? 0
  timesRun.set(file, times + 1)
  return times === 0 ? file : `${file}?vitest=${String(times).padStart(digits, '0')}`
}
