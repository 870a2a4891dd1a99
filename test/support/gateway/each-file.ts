import { afterAll } from 'vitest'
import { closeSharedRelay } from '#support/relay/through-relay.ts'
import { closeSharedGateway } from './shared-gateway.ts'

// vitest runs this for each test file (setupFiles), while it keeps the modules that one file has loaded for the next.
afterAll(async () => {
  await closeSharedGateway()
  await closeSharedRelay()
})
