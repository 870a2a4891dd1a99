import type { TestGateway } from './test-gateway.ts'

const shared: { running: Promise<TestGateway> | null } = { running: null }

/** The gateway that the tests of a file share, opened at its first use. */
export function sharedGateway(open: () => Promise<TestGateway>): Promise<TestGateway> {
  shared.running ??= open()
  return shared.running
}

/** Runs at the end of each test file. */
export async function closeSharedGateway(): Promise<void> {
  const running = await shared.running
  shared.running = null
  await running?.[Symbol.asyncDispose]()
}
