import { expect } from 'vitest'
import type { RawAnswer } from './callers.ts'
import type { TestHome, TestIntegration } from './harness.ts'

type Fields = Readonly<Record<string, unknown>>

/** One call that controls many devices. */
export function batch(home: TestHome, body: unknown, { token }: TestIntegration = home.main): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/control', body, token })
}

/** The per-device results of an accepted batch call. */
export async function batchResults(
  home: TestHome,
  body: unknown,
  who: TestIntegration = home.main,
): Promise<readonly Fields[]> {
  const answer = await batch(home, body, who)
  expect(answer.status, answer.text).toBe(200)
  return (answer.body as { results: Fields[] }).results
}

/** Local ids of the controlled devices. */
export function localsOf(found: readonly Fields[]): string[] {
  return found.map(({ device }) => String(device).split(':').slice(2).join(':')).toSorted()
}
