import { afterAll } from 'vitest'
import { resolvePlainly } from '#support/project/plain-imports.ts'
import { closeSharedRelay } from '#support/relay/through-relay.ts'
import { closeSharedGateway } from './shared-gateway.ts'

resolvePlainly()

// Property tests use a random seed, printed at a failure, unless HM_TEST_SEED sets one. Continuous integration sets
// one, so that a new failure comes from the change.
const SEED = process.env['HM_TEST_SEED']
if (SEED !== undefined) {
  const { configureGlobal, readConfigureGlobal } = await import('fast-check')
  configureGlobal({ ...readConfigureGlobal(), seed: Number(SEED) })
}

// vitest runs this for each test file (setupFiles), but reuses the loaded modules for the next file.
afterAll(async () => {
  await closeSharedGateway()
  await closeSharedRelay()
})
