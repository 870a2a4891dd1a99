import { once } from 'node:events'
import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../test/support/console/browser.ts'
import { type BenchGateway, consoleCode, newAgent, newIntegration, startGateway } from './gateway.ts'
import { fetchOnce, openSocket, requestText } from './load.ts'
import { atMost, median } from './report.ts'
import { scratch } from './scratch.ts'

/** An average home. */
const UNITS = 34
const ROUNDS = 8
const PUSHED_MS = 500
const ENDED_MS = 1_000
/** Interval at which a page is checked for a text. */
const LOOK_EACH_MS = 5

/** Delays of an agent's request, its decision and a switched-off knob in other places. */
export async function benchPushes(): Promise<void> {
  await using gateway = await startGateway(UNITS)
  using profile = scratch()
  const integration = await newIntegration(gateway, 'Assistant', { agent_access: 'on' })
  await using browser = await openBrowser(gateway.address, profile.path)
  await codes(gateway, await consoles(gateway, browser))
  await knobs(gateway, integration)
}

/** Two consoles of one person: an arbitrary page, and the page of approvals. */
async function consoles(bench: BenchGateway, browser: BrowserContext): Promise<readonly [Page, Page]> {
  const { address } = bench
  const [one, other] = [await browser.newPage(), await browser.newPage()]
  await one.goto(`https://localhost:${address.port}/console/system#${await consoleCode(bench)}`)
  await one.getByRole('main').waitFor()
  await other.goto(`https://localhost:${address.port}/console/approvals`)
  await other.getByRole('main').waitFor()
  return [one, other]
}

async function codes(bench: BenchGateway, pages: readonly [Page, Page]): Promise<void> {
  const { address } = bench
  const { gateway } = await bench.administer<{ gateway: string }>('GET', '/status')
  const [appeared, cleared]: [number[], number[]] = [[], []]
  /** Milliseconds from an act until all pages show a text, or until none does. */
  const until = async (text: string, isThere: boolean, act: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now()
    const all = pages.map((page) => page.waitForFunction(shows, { text, isThere }, { polling: LOOK_EACH_MS }))
    await Promise.all([act(), ...all])
    return performance.now() - begun
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // Few requests for access are allowed in an hour, so a place is reserved for each of these.
    await bench.administer('POST', '/agents/reservation', { address: '127.0.0.1' })
    const name = `Agent ${round}`
    const body = JSON.stringify({ gateway, name, platform: 'bench' })
    const pair = requestText('POST', '/v1/pair', address.port, null, '', body)
    appeared.push(await until(name, true, () => fetchOnce(address, pair)))
    const card = pages[1].getByRole('article').filter({ hasText: name })
    const accept = card.getByRole('button', { name: 'Accept', exact: true, disabled: false })
    await accept.waitFor()
    cleared.push(await until(`${name}” via`, false, () => accept.dispatchEvent('click')))
  }
  reportTimes('the code of an agent in two open consoles', appeared, PUSHED_MS, 'from POST /v1/pair')
  reportTimes('accepted on one console, gone from the other', cleared, PUSHED_MS, 'from the press of the button')
}

/** Runs in the page. */
function shows({ text, isThere }: { readonly text: string; readonly isThere: boolean }): boolean {
  const { document } = globalThis as unknown as {
    readonly document: { readonly body: { readonly textContent: string } }
  }
  return document.body.textContent.includes(text) === isThere
}

async function knobs(bench: BenchGateway, integration: string): Promise<void> {
  const { token } = await newAgent(bench, integration)
  const path = `/integrations/${integration}`
  const ended: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const socket = await openSocket(bench.address, '/v1/stream', token)
    const closed = once(socket, 'close')
    const begun = performance.now()
    const change = bench.administer('PATCH', path, { settings: { agent_access: 'off' } })
    await closed
    ended.push(performance.now() - begun)
    await change
    await bench.administer('PATCH', path, { settings: { agent_access: 'on' } })
  }
  reportTimes('agent access off, the agent’s open stream ended', ended, ENDED_MS, 'from the administrator’s request')
}

function reportTimes(work: string, times: readonly number[], most: number, from: string): void {
  const detail = `the worst of ${times.length}, median ${median(times).toFixed(0)} ms; ${from}`
  atMost(work, Math.max(...times), { most, unit: 'ms', detail })
}
