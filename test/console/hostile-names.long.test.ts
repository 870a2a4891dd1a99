// @module-tag long
import { afterAll, beforeAll, expect } from 'vitest'
import type { BrowserContext, Page } from 'playwright-core'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { SCREENS } from '#support/console/pages.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { tooWide } from '#support/console/page-faults.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { HttpCaller } from '#support/gateway/callers.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, names that would run or stretch (HM_CHROMIUM names a Chromium)')

/** Names with markup, without line breaks, and in right-to-left script. */
const NAMES = [
  '<img src=x onerror=alert(1)>',
  'W'.repeat(64),
  '"><svg/onload=alert(2)>',
  'javascript:alert(3)//{{alert(4)}}',
  'מנורת הסלון',
  '</script><script>alert(6)</script>',
] as const
let nameCount = 0
const hostile = (): string => NAMES[(nameCount += 1) % NAMES.length] ?? ''

function hostileHouse(): HouseContent {
  const line = { kind: 'sim', units: null, seed: 1, speed: 1 } as const
  const house = simulatedHome(line, systemClock, 'Europe/Berlin').newHome.house()
  const renamed = <T extends { readonly name: string }>(all: readonly T[]): T[] =>
    all.map((thing) => ({ ...thing, name: hostile() }))
  return {
    info: { ...house.info, name: NAMES[0] },
    floors: renamed(house.floors),
    rooms: renamed(house.rooms),
    units: renamed(house.units).map((unit) => ({ ...unit, gangs: renamed(unit.gangs) })),
    scenes: renamed(house.scenes),
    groups: renamed(house.groups),
  }
}

let folder: string
let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let watched: WatchedPage
let page: Page
let integration: string
/** Texts of browser dialogs; a name above that runs as a script opens one. */
const alerts: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  running = await TestGateway.open({ firstHouse: hostileHouse() })
  visitor = new ConsoleVisitor(running)
  const { admin } = running
  await admin.call('POST', '/persons', { name: NAMES[0], password: 'correct horse battery' })
  await admin.call('POST', '/persons', { name: NAMES[1] })
  for (const name of NAMES) {
    const made = await admin.call<{ integration: { id: string } }>('POST', '/integrations', {
      name,
      expose: ['all'],
      settings: { agent_access: 'on', allow_unlock: 'on' },
    })
    integration = made.integration.id
    await admin.call('POST', '/keys', { integration, name })
    await admin.call('POST', '/agents', { integration, name, platform: name })
    await admin.call('POST', '/operators', { name, scopes: ['metrics'] })
  }
  await using caller = new HttpCaller({
    url: running.url,
    ca: readFileSync(running.gateway.caFile, 'utf8'),
    token: null,
  })
  const wish = { gateway: running.gateway.serial, name: NAMES[0], platform: NAMES[1] }
  expect(await caller.call({ method: 'POST', path: '/v1/pair', body: wish })).toMatchObject({ status: 200 })
  const from = { headers: { 'user-agent': `${NAMES[0]} ${'W'.repeat(300)}` } }
  await visitor.signIn({ link: await visitor.link(NAMES[1]) }, from)
  browser = await browserAt(running, join(folder, 'browser'))
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(`${visitor.origin}/console/#${await visitor.link(NAMES[0])}`)
  await page.getByRole('navigation', { name: 'Places' }).waitFor()
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a page on both screens and returns its faults. */
async function wrongAt(path: string, then: (page: Page) => Promise<void> = async () => {}): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const screen of SCREENS) {
    await page.setViewportSize(screen)
    await page.goto(`${visitor.origin}/console/${path}`)
    await page.locator('h1').first().waitFor()
    await page.locator('.wait, [aria-busy=true]').first().waitFor({ state: 'detached' })
    await then(page)
    wrong.push(...(await tooWide(page)).map((fault) => `${path || 'home'}, ${screen.width} px: ${fault}`))
  }
  return [...wrong, ...watched.takeProblems(), ...alerts.splice(0)]
}

provesInBrowser('console.names', 'no name runs as a script or makes a page wider than its screen', async () => {
  const { units } = await running.admin.call<{ units: { id: string }[] }>('GET', '/house')
  const paths = [
    '',
    'activity',
    'rooms',
    'access',
    `access/${integration}`,
    'approvals',
    'messages',
    ...[
      'status',
      'backup',
      'certificates',
      'persons',
      'sessions',
      'relay',
      'operators',
      'failures',
      'log',
      'about',
    ].map((part) => `system/${part}`),
    ...['hall-light', 'front-door', 'living-remote', 'entrance-panel', 'living-climate', 'bedroom-ac']
      .filter((id) => units.some((unit) => unit.id === id))
      .map((id) => `device/${encodeURIComponent(`${running.gateway.serial}:owner:${id}`)}`),
  ]
  const wrong: string[] = []
  for (const path of paths) wrong.push(...(await wrongAt(path)))
  expect(wrong).toEqual([])
  await page.goto(`${visitor.origin}/console/access`)
  for (const name of NAMES) await page.getByText(name, { exact: true }).first().waitFor()
})

provesInBrowser('console.names', 'no name runs as a script in a dialog or makes it wider than the screen', async () => {
  const opens = (name: string | RegExp) => async () => {
    await page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
  }
  const record = `access/${integration}`
  const wrong = [
    ...(await wrongAt('', async () => {
      await page.keyboard.press('/')
      await page.getByRole('searchbox').fill('alert')
    })),
    ...(await wrongAt(record, opens('Preview'))),
    ...(await wrongAt(record, opens('Rename'))),
    ...(await wrongAt(record, opens('Delete'))),
    ...(await wrongAt(record, opens(/^Revoke/))),
    ...(await wrongAt('system', opens('Look'))),
    ...(await wrongAt('system/persons', opens('Create a link'))),
    ...(await wrongAt('system/persons', opens('Remove'))),
    ...(await wrongAt('', () => page.getByRole('button', { name: /^You are/ }).click())),
  ]
  expect(wrong).toEqual([])
})

provesInBrowser('console.addresses', 'invented addresses show a page that explains it', async () => {
  const nothing = /^(?:Page|Device) not found|^This link leads nowhere|^This integration no longer exists/
  for (const [path, sentence] of [
    ['device/%E0%A4%A', nothing],
    ['device/__proto__', nothing],
    [`device/${'x'.repeat(3_000)}`, nothing],
    ['access/__proto__', nothing],
    ['access/%2e%2e%2fsystem', nothing],
    ['go/__proto__?device=a:b:c', nothing],
    ['go/integrations.record?integration=..%2F..%2Fsystem', nothing],
    ['go/unit.menus?device=%00', nothing],
    ['system/constructor', 'The gateway works normally.'],
    ['activity?until=yesterday&range=__proto__', 'administrator'],
  ] as const) {
    await page.goto('about:blank')
    await page.goto(`${visitor.origin}/console/${path}`)
    await page.getByRole('main').getByText(sentence).first().waitFor()
    expect([path, await tooWide(page), watched.takeProblems(), alerts.splice(0)]).toEqual([path, [], [], []])
  }
})
