import { afterAll } from 'vitest'
import { resolvePlainly } from '#support/project/plain-imports.ts'
import { closeSharedRelay } from '#support/relay/through-relay.ts'
import { closeSharedGateway } from './shared-gateway.ts'

resolvePlainly()

// Properties are tried with a seed of chance, which is told where one fails, unless one is named: continuous integration
// names one, so that what fails there fails by what was changed.
const SEED = process.env['HM_TEST_SEED']
if (SEED !== undefined) {
  const { configureGlobal, readConfigureGlobal } = await import('fast-check')
  configureGlobal({ ...readConfigureGlobal(), seed: Number(SEED) })
}

// vitest runs this for each test file (setupFiles), while it keeps the modules that one file has loaded for the next.
afterAll(async () => {
  await closeSharedGateway()
  await closeSharedRelay()
})
