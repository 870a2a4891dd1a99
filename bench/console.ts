import type { BrowserContext } from 'playwright-core'
import { openBrowser } from '../test/support/console/browser.ts'
import { type BenchGateway, consoleCode, startGateway } from './gateway.ts'
import { atMost, median } from './report.ts'
import { scratch } from './scratch.ts'

const HOMES = [
  { units: 34, tilesMs: 2_500 },
  { units: 300, tilesMs: 2_500 },
  { units: 3_000, tilesMs: 3_000 },
] as const
const PAINT_MS = 1_500
const REQUESTS = 8
const LOADS = 3
/** A phone on a slow line: a sixth of this machine's speed, 40 ms, 4 Mbit/s. */
const SLOWER = 6
const LINE = { offline: false, latency: 40, downloadThroughput: 500_000, uploadThroughput: 500_000 } as const

interface Load {
  readonly paintMs: number
  readonly tilesMs: number
  /** Files that were fetched before the first tile. */
  readonly files: number
}

/** First paint and first tiles of the console in homes of three sizes, with an empty cache. */
export async function benchConsole(): Promise<void> {
  for (const { units, tilesMs } of HOMES) {
    await using gateway = await startGateway(units)
    using folder = scratch()
    await using browser = await openBrowser(gateway.address, folder.path)
    tell(units, tilesMs, await loadsOf(browser, gateway))
  }
}

async function loadsOf(browser: BrowserContext, gateway: BenchGateway): Promise<readonly Load[]> {
  const page = await browser.newPage()
  const origin = `https://localhost:${gateway.address.port}`
  await page.goto(`${origin}/console/#${await consoleCode(gateway)}`)
  await page.locator('.tile').first().waitFor()
  await page.addInitScript(noteTiles)
  const devtools = await browser.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', LINE)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const loads: Load[] = []
  while (loads.length < LOADS) {
    await devtools.send('Network.clearBrowserCache')
    await page.goto(`${origin}/console/`)
    await page.locator('.tile').first().waitFor()
    loads.push(await page.evaluate(readLoad))
  }
  return loads
}

/** Runs in the page. Notes the time of the first tile in milliseconds since the start of the load. */
function noteTiles(): void {
  const { document, MutationObserver } = globalThis as unknown as Browser
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('.tile') === null) return
    observer.disconnect()
    performance.mark('tiles')
  }).observe(document, { childList: true, subtree: true })
}

/** Runs in the page after the first tile. */
function readLoad(): Load {
  const at = (name: string): number => performance.getEntriesByName(name)[0]?.startTime ?? Infinity
  const tilesMs = at('tiles')
  const fetched = performance
    .getEntriesByType('resource')
    .filter(({ name, startTime }) => name.includes('/console/') && startTime < tilesMs)
  return { paintMs: at('first-contentful-paint'), tilesMs, files: fetched.length + 1 }
}

/** The browser's globals that the code above uses. */
interface Browser {
  readonly document: { readonly querySelector: (selector: string) => object | null }
  readonly MutationObserver: new (changed: (changes: unknown, observer: { disconnect(): void }) => void) => {
    observe(target: object, options: object): void
  }
}

function tell(units: number, tilesMs: number, loads: readonly Load[]): void {
  const home = `${units.toLocaleString('en')} units`
  const detail = `median of ${LOADS} cold loads, ${SLOWER} times slower, 40 ms, 4 Mbit/s`
  const paintMs = median(loads.map(({ paintMs: ms }) => ms))
  atMost(`first paint, ${home}`, paintMs, { most: PAINT_MS, unit: 'ms', detail })
  atMost(`first tiles, ${home}`, median(loads.map((load) => load.tilesMs)), { most: tilesMs, unit: 'ms', detail })
  const files = Math.max(...loads.map((load) => load.files))
  const ofFiles = { most: REQUESTS, unit: 'files', detail: 'document, style, scripts, icon' }
  atMost(`files of the first load, ${home}`, files, ofFiles)
}
