import { registerHooks } from 'node:module'

const NAMES_ITS_FILE = /^(?:\.\.?|#support)\/.*\.ts$/
const SUPPORT = new URL('../', import.meta.url)
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
      const url = specifier.startsWith('#')
        ? new URL(specifier.slice('#support/'.length), SUPPORT)
        : new URL(specifier, parentURL)
      return { url: url.href, format: 'module-typescript', shortCircuit: true }
    },
  })
}
