import { test } from 'vitest'
import { requirement } from '../../requirements/index.ts'
import { CHROMIUM } from './browser.ts'

type Ids = string | readonly string[]

interface Needs {
  /** False if the machine lacks something besides the browser. */
  readonly also?: boolean
  /** Milliseconds; default: the timeout of all tests. */
  readonly timeout?: number
}

/** A test of console requirements; skipped without a browser. */
export function provesInBrowser(
  ids: Ids,
  title: string,
  body: () => Promise<void>,
  { also = true, ...options }: Needs = {},
): void {
  for (const id of [ids].flat()) requirement(id)
  test.skipIf(CHROMIUM === null || !also)(`[${[ids].flat().join(', ')}] ${title}`, options, body)
}
