// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { CHROMIUM, NOTIFYING_CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { PushBrowser } from '#support/gateway/push-browser.ts'
import { type PushService, pushService } from '#support/gateway/push-service.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

let service: PushService
let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
const profile = mkdtempSync(join(tmpdir(), 'hm-test-'))

beforeAll(async () => {
  service = await pushService()
  const network = { outsideNetwork: service.network, relayClock: systemClock }
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, ...network })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna', password: 'correct horse battery' })
  if (CHROMIUM === null) return
  const { port, caFile } = running.gateway
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile, NOTIFYING_CHROMIUM ?? CHROMIUM)
  await browser.grantPermissions(['notifications'], { origin: visitor.origin })
})

afterAll(async () => {
  await browser?.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

/** Replaces the connection to the browser's push service, which no test machine reaches. */
const fakePushManager = ({ endpoint, p256dh, auth }: PushBrowser['address']): string => `{
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.codePointAt(0)).buffer
  const keys = { p256dh: '${p256dh}', auth: '${auth}' }
  const subscription = (key) => ({
    endpoint: '${endpoint}',
    options: { applicationServerKey: bytes(key) },
    getKey: (name) => bytes(keys[name]),
    toJSON: () => ({ endpoint: '${endpoint}', keys }),
    unsubscribe: async () => { localStorage.removeItem('fake-push'); return true },
  })
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem('fake-push')
    return key === null ? null : subscription(key)
  }
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (userVisibleOnly !== true) throw new Error('not visible')
    globalThis.localStorage?.setItem('fake-push', applicationServerKey)
    return subscription(applicationServerKey)
  }
}`

const listed = async () =>
  (await running.admin.call<{ subscriptions: { names: boolean }[] }>('GET', '/push')).subscriptions

async function openMessages(page: Page): Promise<void> {
  await page.goto(`${visitor.origin}/console/messages#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { name: 'On this device' }).waitFor()
}

/** Notes the notifications that the browser has taken. Its own list loses notifications that are read too early. */
const NOTING = `globalThis.alerts = []
  const show = registration.showNotification.bind(registration)
  registration.showNotification = async (title, options) => {
    await show(title, options)
    alerts.push({ title, body: options.body ?? '' })
  }`

/** Hands messages to the service worker as the browser's connection would. */
async function workerOf(page: Page): Promise<(data: string) => Promise<unknown>> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first) resolve(first.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  return (data) => session.send('ServiceWorker.deliverPushMessage', { origin: visitor.origin, registrationId, data })
}

provesInBrowser(
  'console.push',
  'a device gets encrypted messages after one switch, and its worker shows each',
  async () => {
    const device = new PushBrowser(`${service.origin}/send/device`)
    const page = await browser.newPage()
    await page.addInitScript(fakePushManager(device.address))
    await openMessages(page)
    await page.getByRole('switch', { name: 'Messages on this device' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test message is on its way').first().waitFor()
    expect(device.read(service.received[0]!)).toMatchObject({ title: 'Look at your home', alarm: false })
    await page.getByRole('switch', { name: 'Show names on the lock screen' }).click()
    await expect.poll(listed).toMatchObject([{ names: true }])
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => service.received).toHaveLength(2)
    const content = device.read(service.received[1]!)
    expect(content).toMatchObject({ title: 'This is a test message', body: running.gateway.home.house.info.name })

    const deliver = await workerOf(page)
    const [worker] = browser.serviceWorkers()
    await worker!.evaluate(NOTING)
    const alerts = (): Promise<object[]> => worker!.evaluate('alerts')
    await deliver(JSON.stringify(content))
    await expect.poll(alerts).toEqual([{ title: content.title, body: content.body }])
    // A message that the worker cannot read is shown too.
    await deliver('no JSON')
    await expect.poll(alerts).toContainEqual({ title: 'Look at your home', body: '' })

    // The worker tells a new address of the browser, without a session.
    const renewed = new PushBrowser(`${service.origin}/send/renewed`)
    await worker!.evaluate(`${fakePushManager(renewed.address)}; renewSubscription()`)
    await running.admin.call('POST', '/messages/test')
    await expect.poll(() => service.received).toHaveLength(3)
    expect(renewed.read(service.received[2]!).body).toBe(content.body)
    await worker!.evaluate(`${fakePushManager(device.address)}; renewSubscription()`)

    // A new session of the person takes the subscription over, so that signing out ends it.
    const [before] = (await running.admin.call<{ sessions: { id: string }[] }>('GET', '/sessions')).sessions
    const takesOver = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/push'),
    )
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    await takesOver
    await running.admin.call('DELETE', `/sessions/${before!.id}`)
    expect(await listed()).toHaveLength(1)
    await page.goto(`${visitor.origin}/console/messages`)
    await page.getByRole('switch', { name: 'Messages on this device', checked: true }).click()
    await page.getByRole('switch', { name: 'Messages on this device', checked: false }).waitFor()
    expect(await listed()).toEqual([])
  },
  { also: NOTIFYING_CHROMIUM !== null },
)

provesInBrowser('console.push', 'a browser without push says what to do', async () => {
  for (const [script, sentence] of [
    ['delete globalThis.PushManager', 'This browser has no push service'],
    [
      `delete globalThis.PushManager; Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => 'iPhone' })`,
      'Add the console to the home screen first',
    ],
    [`Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`, 'does not allow notifications'],
    [
      `ServiceWorkerContainer.prototype.register = async () => { throw new DOMException('', 'SecurityError') }`,
      'must trust the gateway’s certificate first',
    ],
  ] as const) {
    const page = await browser.newPage()
    await page.addInitScript(script)
    await openMessages(page)
    await page.getByText(sentence).waitFor()
    await page.close()
  }
})
