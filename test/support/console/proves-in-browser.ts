import { test } from 'vitest'
import { requirement } from '../../requirements/index.ts'
import { CHROMIUM } from './browser.ts'

type Ids = string | readonly string[]

interface Needs {
  /** What else must be on this machine. */
  readonly also?: boolean
}

/** A test of requirements of the console's pages; it is skipped where there is no browser. */
export function provesInBrowser(ids: Ids, title: string, body: () => Promise<void>, { also = true }: Needs = {}): void {
  for (const id of [ids].flat()) requirement(id)
  test.skipIf(CHROMIUM === null || !also)(`[${[ids].flat().join(', ')}] ${title}`, body)
}
