// @module-tag long
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { trustEverywhere } from '../../src/cli/commands/trust.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { addVirtualPasskeys } from '#support/console/virtual-passkeys.ts'

const hasCertutil = spawnSync('certutil', ['-H']).error === undefined
if (CHROMIUM === null || !hasCertutil)
  console.log('browser: skipped (one test needs a Chromium, one also certutil of libnss3-tools)')

let running: TestGateway
let visitor: ConsoleVisitor
let name: string

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false })
  visitor = new ConsoleVisitor(running)
  name = `hm-${running.gateway.serial}.local`
  await running.admin.call('POST', '/persons', { name: 'Anna' })
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** A browser with its own home folder and the normal certificate check. */
function browserOf(home: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(tempFolder(), {
    executablePath: CHROMIUM ?? '',
    env: { ...process.env, HOME: home },
    // Resolves the gateway's name to this machine.
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${name} 127.0.0.1`],
  })
}

const at = (host: string, path = ''): string => `https://${host}:${running.gateway.port}/console/${path}`

async function withFinger(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage()
  await addVirtualPasskeys(browser, page)
  return page
}

provesInBrowser(
  'console.verified',
  'a browser with the CA opens name and address, and stores a passkey at the name',
  async () => {
    const home = tempFolder()
    mkdirSync(join(home, 'share'))
    const folders = { home, system: join(home, 'share', 'ca-certificates'), update: ['true'] } as const
    const pem = readFileSync(running.gateway.caFile, 'utf8')
    const lists = trustEverywhere({ name: `hm-${running.gateway.serial}`, pem }, folders, false)
    expect(lists.every(({ done }) => done)).toBe(true)

    await using browser = await browserOf(home)
    const page = await withFinger(browser)
    await page.goto(at('127.0.0.1'))
    await page.getByText('Verified', { exact: true }).waitFor()
    await page.getByText('only at the gateway’s name').waitFor()

    await page.goto(at(name, `#${await visitor.link('Anna')}`))
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    await page.goto(at(name, 'system/persons'))
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByRole('list', { name: 'Passkeys of Anna' }).getByText(`at ${name}`).waitFor()
    await page.goto(at(name, 'system/certificates'))
    await page.getByText('This browser verifies the gateway’s certificate').waitFor()
  },
  { also: hasCertutil },
)

provesInBrowser(
  'console.verified',
  'a browser without the CA warns, and the page behind the warning shows it',
  async () => {
    await using browser = await browserOf(tempFolder())
    const page = await withFinger(browser)
    await expect(page.goto(at(name))).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    const careless = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
    try {
      const clickedAway = await careless.newPage({ ignoreHTTPSErrors: true })
      await clickedAway.goto(at('localhost', 'trust'))
      await clickedAway.getByText('Not verified').waitFor()
      await clickedAway.getByText(running.gateway.fingerprint.slice(0, 12)).waitFor()
    } finally {
      await careless.close()
    }
  },
)
