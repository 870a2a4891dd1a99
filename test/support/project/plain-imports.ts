import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ownFile } from './own-packages.ts'
import { PROJECT_ROOT } from './source-tree.ts'

const NAMES_ITS_FILE = /^(?:\.\.?|#support|@hm-gateway)\/.*\.ts$/
const ROOT = pathToFileURL(`${PROJECT_ROOT}/`)
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
      const { parentURL } = context
      if (parentURL === undefined || !NAMES_ITS_FILE.test(specifier)) return next(specifier, context)
      const own = ownFile(specifier.replace(/^#support/, '@hm-gateway/test-support'))
      const url = own === null ? new URL(specifier, parentURL) : new URL(own, ROOT)
      return { url: url.href, format: 'module-typescript', shortCircuit: true }
    },
  })
}
