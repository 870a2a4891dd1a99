import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, which is removed at the end of its scope. */
export function scratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'hm-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) }
}
