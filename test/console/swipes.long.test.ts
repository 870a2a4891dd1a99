// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { CHROMIUM } from '#support/console/browser.ts'
import { devicesOf, settled } from '#support/console/pages.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { type Point, TouchScreen } from '#support/console/touch-screen.ts'
import { browserAt } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 5 tests of swipes (HM_CHROMIUM names a Chromium)')

const SWIPES = 20

interface Control {
  /** Device whose page has the control; null: the home page. */
  readonly on: string | null
  readonly find: () => Locator
}

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let page: Page
let screen: TouchScreen
let profile: string
let devices: ReadonlyMap<string, string>

const button = (name: string | RegExp) => (): Locator => page.getByRole('button', { name, exact: true })
const slider = (name: string) => (): Locator => page.getByRole('slider', { name, exact: true })
const power = (name: string) => (): Locator => page.getByRole('switch', { name, exact: true })
const choice = (legend: string, name: string) => (): Locator =>
  page.getByRole('group', { name: legend }).locator('label', { hasText: name })

/** Every kind of control that sends a command. */
const CONTROLS: Readonly<Record<string, Control>> = {
  toggle: { on: null, find: power('Hall light') },
  brightness: { on: null, find: slider('Brightness of Ceiling light') },
  'shutter open': { on: null, find: button('Open Garden shutter') },
  'shutter stop': { on: null, find: button('Stop Garden shutter') },
  'shutter close': { on: null, find: button('Close Garden shutter') },
  'curtain open': { on: null, find: button('Open Curtain') },
  lock: { on: null, find: button('Hold to open Front door') },
  scene: { on: null, find: button('Dinner') },
  'lights off': { on: null, find: button('Lights off in Living room') },
  position: { on: 'Garden shutter', find: slider('Position') },
  'dimmer mode': { on: 'Ceiling light', find: choice('Mode', 'Eco') },
  'remote key': { on: 'Television and stereo', find: button('Volume up') },
  gate: { on: 'Driveway gate', find: button('Hold to open Driveway gate') },
  'gate close': { on: 'Driveway gate', find: button('Close Driveway gate') },
  'AC toggle': { on: 'Air conditioner', find: power('Air conditioner') },
  temperature: { on: 'Air conditioner', find: button('Air conditioner: warmer') },
  'AC mode': { on: 'Air conditioner', find: choice('Operation', 'Heat') },
  fan: { on: 'Air conditioner', find: choice('Fan', 'High') },
}

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  browser = await browserAt(running, profile)
  page = await browser.newPage()
  screen = await TouchScreen.of(page)
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
  devices = await devicesOf(page)
  await power('Ceiling light')().click()
  await running.hasten(page.locator('.tile.lit').first().waitFor())
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Commands received by the gateway since its start. */
async function commands(): Promise<number> {
  const { text } = await visitor.as(await watcher(), 'GET', '/admin/v1/metrics')
  const sent = text.matchAll(
    /^hm_requests_total\{endpoint="(?:devices\.control|control\.batch|scenes\.run)".*\} (\d+)$/gm,
  )
  return [...sent].reduce((sum, [, count]) => sum + Number(count), 0)
}

let secrets: ReturnType<ConsoleVisitor['signInByLink']> | null = null
const watcher = (): ReturnType<ConsoleVisitor['signInByLink']> => (secrets ??= visitor.signInByLink('Anna'))

/** Opens the page of a control and returns its centre. */
async function reach({ on, find }: Control): Promise<Point> {
  const path = on === null ? '/console/' : `/console/device/${encodeURIComponent(devices.get(on) ?? '')}`
  if (new URL(page.url()).pathname !== path) await page.goto(`${visitor.origin}${path}`)
  await running.hasten(find().waitFor())
  // Data that comes later moves the control.
  await running.hasten(settled(page))
  return screen.middleOf(find())
}

/**
 * Number of commands since `before`. A key press on a slider sends its command last, so all commands of touches have
 * arrived by then.
 */
async function sentSince(before: number): Promise<number> {
  await reach({ on: null, find: slider('Brightness of Floor lamp') })
  const key = slider('Brightness of Floor lamp')()
  await key.press('ArrowRight')
  const typed = await key.inputValue()
  const tile = page.getByRole('listitem').filter({ has: key })
  await running.hasten(tile.getByText(`On · ${typed} %`).waitFor())
  await answered()
  return (await commands()) - before - 1
}

/** Waits until every command has its answer: the gateway counts it then, and reports the new state before. */
async function answered(): Promise<void> {
  await running.hasten(page.locator('.asked, [aria-busy=true]').first().waitFor({ state: 'detached' }))
}

/** Sets the key slider above its minimum, so that every key press is a change. */
async function begin(): Promise<void> {
  await reach({ on: null, find: slider('Brightness of Floor lamp') })
  const before = await commands()
  await slider('Brightness of Floor lamp')().fill('40')
  await sends(before)
}

/** Waits for one more command at the gateway. */
async function sends(before: number): Promise<void> {
  await expect.poll(commands).toBe(before + 1)
  await answered()
}

const twentySwipes = async (): Promise<void> => {
  await begin()
  const sent: Record<string, number> = {}
  for (const [name, control] of Object.entries(CONTROLS)) {
    const before = await commands()
    await reach(control)
    for (let swipe = 0; swipe < SWIPES; swipe += 1) {
      const from = await screen.middleOf(control.find())
      // Vertical and diagonal, short and long swipes.
      const reached = 60 + swipe * 10
      await screen.swipe(from, { x: (swipe % 5) * 8 - 16, y: swipe % 2 === 0 ? -reached : reached })
    }
    sent[name] = await sentSince(before)
  }
  console.log(`commands after ${SWIPES} swipes each: ${JSON.stringify(sent)}`)
  expect(sent).toEqual(Object.fromEntries(Object.keys(CONTROLS).map((name) => [name, 0])))
}

// 360 swipes with a hundred events each take more than a minute on a busy machine.
provesInBrowser('console.deliberate', 'twenty swipes on every kind of control send no command', twentySwipes, {
  timeout: 400_000,
})

provesInBrowser('console.deliberate', 'taps, horizontal drags, holds and keys still send commands', async () => {
  for (const [name, control] of Object.entries(CONTROLS)) {
    if (/lock|gate$/.test(name)) continue
    const before = await commands()
    await screen.tap(await reach(control))
    await sends(before)
  }
  for (const name of ['brightness', 'position'] as const) {
    const before = await commands()
    await screen.swipe(await reach(CONTROLS[name]!), { x: 60, y: 12 })
    await sends(before)
  }
  for (const name of ['lock', 'gate'] as const) {
    const before = await commands()
    await screen.down(await reach(CONTROLS[name]!))
    await sends(before)
    await screen.up()
    if (name === 'gate') continue
    // Lifting the finger must not press the new button at the same place.
    await button('Lock Front door')().click()
    await sends(before + 1)
  }
})

/** Events that cancel a press, by name. */
const INTERRUPTIONS: Readonly<Record<string, (control: Locator, at: Point) => Promise<unknown>>> = {
  'a second finger': (_, at) => screen.down(at, { x: at.x + 40, y: at.y + 120 }),
  'a touch that the system takes': () => screen.cancel(),
  'a lost pointer': () => page.evaluate('losePointer()'),
  'a menu': (control) => control.dispatchEvent('contextmenu'),
  'a hidden tab': () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
  'a window that loses the focus': () => page.evaluate("dispatchEvent(new Event('blur'))"),
}

/** Makes the current pointer lose its capture inside the control. */
const LOSE_POINTER = `addEventListener('pointerdown', ({ pointerId, target }) => {
  globalThis.losePointer = () =>
    target.dispatchEvent(new PointerEvent('lostpointercapture', { pointerId, bubbles: true, composed: true }))
}, { capture: true })`

provesInBrowser('console.deliberate', 'a cancelled press sends no command, and the next press does', async () => {
  await begin()
  const pressed = ['toggle', 'brightness', 'shutter open', 'lock', 'scene'] as const
  const sent: Record<string, number> = {}
  await reach(CONTROLS['toggle']!)
  await page.evaluate(LOSE_POINTER)
  for (const [name, interrupt] of Object.entries(INTERRUPTIONS)) {
    const before = await commands()
    for (const kind of pressed) {
      const { find } = CONTROLS[kind]!
      const at = await screen.middleOf(find())
      await screen.down(at)
      await interrupt(find(), at)
      if (name !== 'a touch that the system takes') await screen.up()
    }
    sent[name] = await sentSince(before)
  }
  // The browser still moves the slider with the finger.
  for (const name of ['a menu', 'a hidden tab', 'a second finger'] as const) {
    const before = await commands()
    const control = CONTROLS['brightness']!.find()
    const at = await screen.middleOf(control)
    const value = await control.inputValue()
    await screen.down(at)
    for (const x of [20, 40]) await screen.move({ x: at.x + x, y: at.y })
    await INTERRUPTIONS[name]!(control, at)
    for (const x of [60, 80]) await screen.move({ x: at.x + x, y: at.y })
    await screen.up()
    expect(await control.inputValue()).toBe(value)
    sent[`${name} in a drag`] = await sentSince(before)
  }
  console.log(`commands after presses that were taken away: ${JSON.stringify(sent)}`)
  expect(Object.values(sent).filter((count) => count !== 0)).toEqual([])
  for (const kind of ['toggle', 'brightness', 'scene'] as const) {
    const before = await commands()
    await screen.tap(await screen.middleOf(CONTROLS[kind]!.find()))
    await sends(before)
  }
})

provesInBrowser(
  'console.deliberate',
  'a slow swipe and a finger that leaves the button do not open a door',
  async () => {
    await begin()
    const before = await commands()
    const at = await reach(CONTROLS['lock']!)
    for (const by of [
      { x: 0, y: 14 },
      { x: 14, y: 0 },
    ]) {
      await screen.down(at)
      for (let step = 1; step <= 3; step += 1) await screen.move({ x: at.x + by.x * step, y: at.y + by.y * step })
      await page.locator('.hold.holding').waitFor({ state: 'detached' })
      await screen.up()
    }
    expect(await sentSince(before)).toBe(0)
  },
)

provesInBrowser(
  'console.deliberate',
  'a finger can rest on a slider before a drag, and a mouse can drag in any direction',
  async () => {
    const control = CONTROLS['brightness']!
    const at = await reach(control)
    const before = await commands()
    await screen.down(at)
    await control.find().dispatchEvent('contextmenu')
    for (const x of [20, 40]) await screen.move({ x: at.x + x, y: at.y })
    await screen.up()
    await sends(before)
    await page.mouse.move(at.x, at.y)
    await page.mouse.down()
    await page.mouse.move(at.x + 10, at.y + 80)
    await page.mouse.up()
    await sends(before + 1)
  },
)
