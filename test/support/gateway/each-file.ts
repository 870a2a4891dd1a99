import { afterAll } from 'vitest'
import { closeSharedGateway } from './shared-gateway.ts'

// vitest runs this for each test file (setupFiles), while it keeps the modules that one file has loaded for the next.
afterAll(closeSharedGateway)
