import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ownFile } from './own-packages.ts'
import { PROJECT_ROOT } from './source-tree.ts'

const NAMES_ITS_FILE = /^(?:\.\.?|#support|@hm-gateway)\/.*\.ts$/
/** vitest asks for a test file, or for what it runs before each, at the time in ms, so that Node runs it again. */
const ASKED_AT = /^(file:.*\.ts)%3Fvitest=(\d+)$/
const ROOT = pathToFileURL(`${PROJECT_ROOT}/`)
const timesRun = new Map<string, number>()
let registered = false

/**
 * Imports of one file of the project by another are resolved here, once for all test files of a worker. vitest would
 * tell its main process of each, so that it knows what to run again when a file changes; where it does not wait for
 * changes nobody asks, and every message costs both processes time. Such an import names its file: nothing is looked
 * for.
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
 * The URL by which Node runs a file once more. It counts where vitest names the time, which no other run would find
 * among the compiled files again.
 */
function runAgain(file: string, digits: number): string {
  const times = timesRun.get(file) ?? 0
  timesRun.set(file, times + 1)
  return times === 0 ? file : `${file}?vitest=${String(times).padStart(digits, '0')}`
}
