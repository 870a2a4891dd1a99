import type { TestHome } from './harness.ts'

/** Bodies with numbers or booleans as text. Tools convert those (`agents.mcp-arguments`). */
export function refusedAsText<T>(home: TestHome, ...bodies: readonly T[]): readonly T[] {
  return home.transport === 'mcp' ? [] : bodies
}
