import type { TestGateway } from '#support/gateway/test-gateway.ts'
import { TestRelay } from './test-relay.ts'

const shared: { relay: Promise<TestRelay> | null; readonly served: WeakSet<TestGateway> } = {
  relay: null,
  served: new WeakSet(),
}

/** The shared relay of a test file, with this gateway linked. */
export async function relayFor(running: TestGateway): Promise<TestRelay> {
  shared.relay ??= TestRelay.open()
  const relay = await shared.relay
  if (!shared.served.has(running)) {
    shared.served.add(running)
    await relay.serve(running)
  }
  return relay
}

/** Called at the end of each test file. */
export async function closeSharedRelay(): Promise<void> {
  const relay = await shared.relay
  shared.relay = null
  await relay?.[Symbol.asyncDispose]()
}
