import { once } from 'node:events'
import type { BrowserContext, Page } from 'playwright-core'
import { WebSocket } from 'ws'
import { CHROMIUM, openBrowser } from '../test/support/console/browser.ts'
import { type BenchGateway, consoleCode, newAgent, newIntegration, startGateway } from './gateway.ts'
import { requestText } from './http-load.ts'
import { atMost, median } from './report.ts'
import { scratch } from './scratch.ts'
import { fetched } from './service.ts'

/** A home of the size that people have. */
const UNITS = 34
const ROUNDS = 8
const PUSHED_MS = 500
const ENDED_MS = 1_000

/** How soon an agent's request, the word on it, and a knob that is switched off are felt elsewhere. */
export async function benchPushes(): Promise<void> {
  if (CHROMIUM === null) throw new Error('there is no browser here; HM_CHROMIUM names a Chromium')
  await using gateway = await startGateway(UNITS)
  using profile = scratch()
  const integration = await newIntegration(gateway, 'Assistant', { agent_access: 'on' })
  await using browser = await openBrowser(gateway.door, profile.path)
  await codes(gateway, await consoles(gateway, browser))
  await knobs(gateway, integration)
}

/** Two consoles of one person: any page, and the one of what waits. */
async function consoles(bench: BenchGateway, browser: BrowserContext): Promise<readonly [Page, Page]> {
  const { door } = bench
  const [one, other] = [await browser.newPage(), await browser.newPage()]
  await one.goto(`https://localhost:${door.port}/console/system#${await consoleCode(bench)}`)
  await one.getByRole('main').waitFor()
  await other.goto(`https://localhost:${door.port}/console/approvals`)
  await other.getByRole('main').waitFor()
  return [one, other]
}

async function codes(bench: BenchGateway, pages: readonly [Page, Page]): Promise<void> {
  const { door } = bench
  const { gateway } = await bench.administer<{ gateway: string }>('GET', '/status')
  const [shown, cleared]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    // Requests for access are few in an hour; a place is kept for each of these.
    await bench.administer('POST', '/agents/reservation', { address: '127.0.0.1' })
    const name = `Agent ${round}`
    const body = JSON.stringify({ gateway, name, platform: 'bench' })
    await Promise.all(pages.map((page) => page.evaluate(watch, { text: name, isThere: true })))
    const begun = Date.now()
    await fetched(door, requestText('POST', '/v1/pair', door.port, null, '', body))
    shown.push((await lastOf(pages)) - begun)
    const card = pages[1].getByRole('article').filter({ hasText: name })
    const accept = card.getByRole('button', { name: 'Accept', exact: true, disabled: false })
    await accept.waitFor()
    await Promise.all(pages.map((page) => page.evaluate(watch, { text: `${name}” via`, isThere: false })))
    const pressed = Date.now()
    await accept.evaluate((button) => (button as unknown as { click(): void }).click())
    cleared.push((await lastOf(pages)) - pressed)
  }
  told('the code of an agent in two open consoles', shown, PUSHED_MS, 'from POST /v1/pair')
  told('accepted on one console, gone from the other', cleared, PUSHED_MS, 'from the press of the button')
}

/** In the page: notes when a text is there, or there no more. */
function watch({ text, isThere }: { readonly text: string; readonly isThere: boolean }): void {
  const view = globalThis as unknown as View
  const { document, MutationObserver } = view
  view.seen = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.body.textContent.includes(text) !== isThere) return
      observer.disconnect()
      resolve(Date.now())
    })
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}

/** When the last of the pages saw what it was told to watch for, epoch milliseconds. */
async function lastOf(pages: readonly Page[]): Promise<number> {
  return Math.max(
    ...(await Promise.all(pages.map((page) => page.evaluate(() => (globalThis as unknown as View).seen)))),
  )
}

/** What of a browser's names the code above takes, which a page runs. */
interface View {
  seen: Promise<number>
  readonly document: { readonly body: { readonly textContent: string } }
  readonly MutationObserver: new (changed: () => void) => {
    observe(target: object, options: object): void
    disconnect(): void
  }
}

async function knobs(bench: BenchGateway, integration: string): Promise<void> {
  const { door } = bench
  const { token } = await newAgent(bench, integration)
  const path = `/integrations/${integration}`
  const ended: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const socket = new WebSocket(`wss://localhost:${door.port}/v1/stream`, {
      ca: door.ca,
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    const closed = once(socket, 'close')
    const begun = performance.now()
    const change = bench.administer('PATCH', path, { settings: { agent_access: 'off' } })
    await closed
    ended.push(performance.now() - begun)
    await change
    await bench.administer('PATCH', path, { settings: { agent_access: 'on' } })
  }
  told('agent access off, the agent’s open stream ended', ended, ENDED_MS, 'from the administrator’s request')
}

function told(work: string, times: readonly number[], most: number, from: string): void {
  const detail = `the worst of ${times.length}, median ${median(times).toFixed(0)} ms; ${from}`
  atMost(work, Math.max(...times), { most, unit: 'ms', detail })
}
