import { readFileSync } from 'node:fs'
import type { BrowserContext } from 'playwright-core'
import { openBrowser } from '#support/console/browser.ts'
import { tempFolder } from '#support/temp-folder.ts'
import type { TestGateway } from './test-gateway.ts'

export { CHROMIUM } from '#support/console/browser.ts'

/** A browser that trusts only the key of this gateway's certificate; `folder` holds its profile. */
export function browserAt(
  { gateway: { port, caFile } }: TestGateway,
  folder: string = tempFolder(),
): Promise<BrowserContext> {
  return openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, folder)
}
