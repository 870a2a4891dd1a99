// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 17 tests (HM_CHROMIUM names a Chromium)')

/** Unit number of the demo home's hall light. */
const HALL_LIGHT = 11
/** Unit number of its floor lamp in the living room. */
const FLOOR_LAMP = 22
/** Unit number of the sensor there. */
const LIVING_CLIMATE = 27

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let profile: string
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  const { port, caFile } = running.gateway
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Tile of a device on the open floor. */
const tile = (name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })

/** Waits for a text on a tile. */
const says = (name: string, text: string | RegExp): Promise<void> =>
  running.hasten(tile(name).getByText(text).waitFor())

const power = (name: string): Locator => page.getByRole('switch', { name, exact: true })

/** Waits until a switch shows the confirmed state. */
const isSwitched = (name: string, on: boolean): Promise<void> =>
  running.hasten(page.locator(`[role=switch][aria-label="${name}"][aria-checked="${on}"]`).waitFor())

/** Switches a lamp on that earlier tests may have left on. */
async function switchOn(name: string): Promise<void> {
  if ((await power(name).getAttribute('aria-checked')) === 'false') await power(name).click()
  await isSwitched(name, true)
}

provesInBrowser(
  'console.confirmed',
  'lamps and dimmers show a change only after the unit has confirmed it',
  async () => {
    const confirmedAt = async (): Promise<number> => {
      const time = tile('Hall light').locator('.state time')
      expect(await time.getAttribute('title')).toMatch(/^Confirmed .*\d\d:\d\d$/)
      expect(await time.textContent()).toMatch(/^since( before)?\s\d\d:\d\d$/)
      return Date.parse((await time.getAttribute('datetime')) ?? '')
    }
    const before = await confirmedAt()
    await running.still(async () => {
      await power('Hall light').click()
      await tile('Hall light').getByText('sending: On').waitFor()
      expect(await power('Hall light').getAttribute('aria-checked')).toBe('false')
    })
    await isSwitched('Hall light', true)
    expect(await confirmedAt()).toBeGreaterThan(before)
    await page.getByRole('slider', { name: 'Brightness of Ceiling light' }).fill('40')
    await says('Ceiling light', 'On · 40 %')
    expect(watched.takeProblems()).toEqual([])
  },
)

test.skipIf(!hasBrowser)(
  'a slider sends one command: after its last key, on release, and when the page closes',
  async () => {
    const slider = page.getByRole('slider', { name: 'Brightness of Ceiling light' })
    const sent: unknown[] = []
    const listen = (request: Request): void => {
      if (request.url().endsWith('/control')) sent.push(request.postDataJSON())
    }
    page.on('request', listen)
    await slider.focus()
    await Promise.all([1, 2, 3].map(() => page.keyboard.press('ArrowRight')))
    await says('Ceiling light', 'On · 43 %')
    await slider.hover()
    await page.mouse.down()
    expect(await slider.inputValue()).toMatch(/^(49|5[01])$/)
    expect(sent).toEqual([{ op: 'set_brightness', args: { bri: 43 } }])
    await page.mouse.up()
    await says('Ceiling light', /^On · (49|5[01])\s%$/)
    await slider.fill('60')
    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await says('Ceiling light', 'On · 60 %')
    expect(sent.length).toBe(3)
    page.off('request', listen)
    expect(watched.takeProblems()).toEqual([])
  },
)

test.skipIf(!hasBrowser)('Lights off switches the lights of a room off, and Undo switches them on', async () => {
  await page.getByRole('button', { name: 'Lights off in Living room' }).click()
  await isSwitched('Ceiling light', false)
  await page.getByRole('button', { name: 'Undo' }).click()
  await isSwitched('Ceiling light', true)
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('Lights off of the home switches all lights off and no socket, with Undo', async () => {
  await switchOn('Ceiling light')
  const socket = await power('Television socket').getAttribute('aria-checked')
  await page.getByRole('button', { name: 'Lights off in Sonnenwinkel' }).click()
  await isSwitched('Ceiling light', false)
  expect(await power('Television socket').getAttribute('aria-checked')).toBe(socket)
  await page.getByRole('button', { name: 'Undo' }).click()
  await isSwitched('Ceiling light', true)
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('a group is made on the page of rooms, switched here, changed and deleted', async () => {
  const named = (name: string): Locator => page.getByRole('button', { name, exact: true })
  const open = (path: string) => page.goto(`${visitor.origin}/console/${path}`)
  await open('rooms')
  await named('New group').click()
  await page.getByLabel('Name', { exact: true }).fill('Reading')
  await page.getByLabel('Search devices').fill('living lamp')
  await page.getByLabel('Floor lamp').check()
  await page.getByLabel('Search devices').fill('')
  await named('Save').click()
  await named('Change Reading').waitFor()
  await open('')
  await running.hasten(page.getByRole('button', { name: /Switch Reading on: 0 of 1 on/ }).click())
  await running.hasten(page.getByRole('button', { name: /Switch Reading off: 1 of 1 on/ }).click())
  await isSwitched('Floor lamp', false)
  await open('rooms')
  await named('Change Reading').click()
  await page.getByLabel('Name', { exact: true }).fill('Evening')
  await named('Save').click()
  await named('Delete Evening').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Evening' }).click()
  await page.getByText('There are no groups yet.').waitFor()
  await open('')
  await power('Floor lamp').waitFor()
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('one touch runs a scene, and its devices follow', async () => {
  await page.getByRole('button', { name: 'Dinner' }).click()
  await says('Floor lamp', 'On · 30 %')
  await isSwitched('Dining table lamp', true)
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.entrances', 'a door opens by a hold or by Enter twice, never by a click', async () => {
  const door = page.getByRole('button', { name: 'Hold to open Front door' })
  await door.click()
  await door.focus()
  await page.keyboard.down('Enter')
  const again = page.getByRole('button', { name: 'Press again to open Front door' })
  await again.waitFor()
  // A key that stays down repeats, but counts as one press.
  await page.keyboard.down('Enter')
  expect(await again.count()).toBe(1)
  await page.keyboard.up('Enter')
  expect(await tile('Front door').locator('.state > span').first().innerText()).toBe('Locked')
  await again.press('Enter')
  await says('Front door', 'Unlocked')
  await page.getByRole('button', { name: 'Lock Front door' }).click()
  await says('Front door', /^Locked/)
  await door.hover()
  await page.mouse.down()
  await says('Front door', 'Unlocked')
  await page.mouse.up()
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.why', 'the page of a device shows at once its cause, its users and its viewers', async () => {
  await page.getByRole('link', { name: 'Hall light', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Hall light' }).waitFor()
  const isOn = (await power('Hall light').getAttribute('aria-checked')) === 'true'
  await power('Hall light').click()
  await running.hasten(page.getByText(/^Hall light turned o(n|ff) at .*: Anna\.$/).waitFor())
  running.sim.touch(HALL_LIGHT, null, isOn ? 'up' : 'down')
  await running.hasten(page.getByText(/^Hall light turned o(n|ff) at .*: touched at the wall\.$/).waitFor())
  expect(await page.getByRole('row', { name: /^Off delay/ }).innerText()).toMatch(/Off delay\s+no delay/)
  // Without clipboard access the button selects the id.
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))")
  await page.getByRole('button', { name: 'Copy: Id' }).click()
  await page.getByRole('button', { name: 'Selected: copy it by hand: Id' }).waitFor()
  expect(await page.evaluate('String(getSelection())')).toBe('hall-light')
  await page.getByText('No program sees this device.').waitFor()
  await running.admin.call('POST', '/integrations', { name: 'Wall tablet', expose: ['all'] })
  await page.getByRole('link', { name: 'Wall tablet' }).waitFor()
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('the page of a unit shows its own schedules', async () => {
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('link', { name: 'Garden shutter', exact: true }).click()
  const own = page.getByRole('region', { name: 'Its own schedules' })
  await running.hasten(own.getByText('Open at 07:15 on Mon-Fri').waitFor())
  expect(watched.takeProblems()).toEqual([])
  await page.getByRole('link', { name: 'Home', exact: true }).click()
})

provesInBrowser('console.alarms', 'every page and the tile show smoke until the unit reports its end', async () => {
  const banner = page.locator('.banner.alarm')
  for (const place of ['Rooms', 'Home']) {
    running.sim.house.detect(LIVING_CLIMATE, 'smoke', true)
    await running.hasten(banner.filter({ hasText: 'Smoke' }).filter({ hasText: 'Living room climate' }).waitFor())
    await page.getByRole('link', { name: place, exact: true }).click()
    expect(await banner.count()).toBe(1)
    if (place === 'Home') {
      await says('Living room climate', /^Smoke/)
      expect(await tile('Living room climate').getAttribute('class')).toContain('alarm')
    }
    running.sim.house.detect(LIVING_CLIMATE, 'smoke', false)
    await running.hasten(banner.waitFor({ state: 'detached' }))
  }
  await says('Living room climate', /^No smoke/)
  expect(await tile('Living room climate').getAttribute('class')).not.toContain('alarm')
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.messages', 'an alarm has a button that acknowledges it, and the page lists it', async () => {
  const banner = page.locator('.banner.alarm').filter({ hasText: 'Living room climate' })
  running.sim.house.detect(LIVING_CLIMATE, 'smoke', true)
  const acknowledge = banner.getByRole('button', { name: 'Acknowledge' })
  await running.hasten(acknowledge.waitFor())
  await acknowledge.click()
  await running.hasten(acknowledge.waitFor({ state: 'detached' }))
  expect(await banner.count()).toBe(1)
  running.sim.house.detect(LIVING_CLIMATE, 'smoke', false)
  await running.hasten(banner.waitFor({ state: 'detached' }))
  await page.goto(`${visitor.origin}/console/messages`)
  const list = page.locator('.messages')
  await running.hasten(list.getByText('Living room climate: smoke detected').first().waitFor())
  await running.hasten(list.getByText('Acknowledged by Anna').first().waitFor())
  const all = page.getByRole('button', { name: 'Acknowledge all' })
  if ((await all.count()) > 0) await all.click()
  await running.hasten(page.locator('.banner.message').waitFor({ state: 'detached' }))
  expect(watched.takeProblems()).toEqual([])
  await page.getByRole('link', { name: 'Home', exact: true }).click()
})

provesInBrowser('console.alarms', 'the tile of a lamp shows its power only while it is on', async () => {
  await switchOn('Floor lamp')
  await says('Floor lamp', /\sW$/)
  await power('Floor lamp').click()
  await isSwitched('Floor lamp', false)
  expect(await tile('Floor lamp').locator('.state').textContent()).not.toContain('W')
})

test.skipIf(!hasBrowser)('an unknown address shows a page with a link to the home', async () => {
  const answered = await page.goto(`${visitor.origin}/console/hoem`)
  expect(answered?.status()).toBe(404)
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Go to the home' }).click()
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
  watched.takeProblems()
})

test.skipIf(!hasBrowser)('the search opens the floor of a room, and only the open floor is rendered', async () => {
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('bath')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'First floor', selected: true }).waitFor()
  await page.getByRole('heading', { name: 'Bathroom' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Hall', exact: true }).count()).toBe(0)
  await page.getByRole('tab', { name: 'First floor' }).press('ArrowLeft')
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.confirmed', 'a silent unit keeps its state and shows the gateway’s message', async () => {
  running.sim.house.cutMains([HALL_LIGHT])
  const before = await power('Hall light').getAttribute('aria-checked')
  await power('Hall light').click()
  await running.hasten(tile('Hall light').getByRole('alert').filter({ hasText: 'does not answer' }).waitFor())
  expect(await power('Hall light').getAttribute('aria-checked')).toBe(before)
  expect(watched.takeProblems()).toEqual(expect.arrayContaining([expect.stringMatching(/^504 /)]))
})

test.skipIf(!hasBrowser)('Lights off counts the lights that went off, and the failed one shows its error', async () => {
  for (const name of ['Ceiling light', 'Floor lamp']) await switchOn(name)
  running.sim.house.cutMains([FLOOR_LAMP])
  await page.getByRole('button', { name: 'Lights off in Living room' }).click()
  await running.hasten(page.locator('.toast', { hasText: '1 light in Living room is off' }).waitFor())
  expect(await tile('Floor lamp').getByRole('alert').innerText()).toContain('does not answer')
})

provesInBrowser('console.mode', 'Guest mode until a time takes two clicks, and the page shows its end', async () => {
  await page.evaluate("window.clicks = 0; addEventListener('click', () => { window.clicks += 1 }, true)")
  const mode = page.locator('details.mode')
  await mode.locator('summary').click()
  await page.getByRole('button', { name: 'Guest for 2 hours' }).click()
  await running.hasten(mode.locator('summary', { hasText: /Guest.*until \d\d:\d\d/ }).waitFor())
  expect(await page.evaluate('window.clicks')).toBe(2)
  expect(await running.admin.call('GET', '/modes')).toMatchObject({ mode: 'guest', previous: 'home' })
  await mode.locator('summary').click()
  await page.getByRole('button', { name: 'Home', exact: true }).click()
  await running.hasten(mode.locator('summary', { hasText: 'Home' }).waitFor())
})

provesInBrowser('console.presence', 'a person has a list of changes, which grows with each one', async () => {
  const list = page.locator('details.people')
  await list.locator('> summary').click()
  await page.getByRole('button', { name: 'Anna: Away' }).click()
  await list.getByText('Last 7 days').first().click()
  await running.hasten(list.getByRole('row', { name: /Away Anna/ }).waitFor())
  await page.getByRole('button', { name: 'Anna: Home' }).click()
  const newest = list.getByRole('row').first()
  await running.hasten(newest.getByText('Home').waitFor())
  expect(await newest.innerText()).toMatch(/\d\d:\d\d\s+Home\s+Anna/)
  await list.locator('> summary').click()
})

test.skipIf(!hasBrowser)('a page that did not load shows an error, and loads later', async () => {
  const files = '**/console/assets/*.js'
  await page.route(files, (route) => route.abort())
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('heading', { name: 'This page did not load' }).waitFor()
  await page.unroute(files)
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  expect(page.url()).toBe(`${visitor.origin}/console/activity`)
})
