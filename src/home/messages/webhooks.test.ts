import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { administrationEntry } from '../../auth/credentials/pending-revocations.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteMessages } from '../../db/core/message-store.ts'
import { SqliteDeliveries } from '../../db/core/delivery-store.ts'
import { SqliteWebhooks } from '../../db/core/webhook-store.ts'
import type { Post, PostResult } from '../../lib/checked-post.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { MessageUrgency } from '../model/recipients.ts'
import { type WebhookFormat, WEBHOOKS_MAX } from '../model/webhooks.ts'
import { conditionDraft, deviceDraft } from './home-messages.ts'
import { MessageBoard } from './messages.ts'
import { Webhooks } from './webhooks.ts'

const SMOKE = deviceDraft('smoke', 'kitchen', 'Kitchen: smoke detected')
const GATE = deviceDraft('entrance_open', 'gate', 'The gate is open')
const DISK = conditionDraft('disk', 'disk', 'The disk is full', '/console/system')
const ANNA = { source: 'person', name: 'Anna' } as const

/** Webhooks over real stores; `answer` answers each request. */
class WebhookHome {
  readonly clock = new ManualClock(Date.UTC(2027, 0, 1, 12))
  readonly core = new CoreDb(':memory:')
  readonly sent: { readonly minute: number; readonly post: Post }[] = []
  answer: (post: Post) => PostResult | Promise<PostResult> = () => ({ kind: 'answered', status: 200 })
  messages = this.#openMessages()
  webhooks = this.#open()

  add(name: string, least: MessageUrgency = 'normal', format: WebhookFormat = 'json'): string {
    const added = this.webhooks.add({ name, url: `https://${name}.example/hooks/home`, format, least }, ANNA)
    if (!added.ok) throw new Error(added.error)
    return added.value.secret
  }

  restart(): void {
    this.webhooks.stop()
    this.messages.stop()
    this.messages = this.#openMessages()
    this.webhooks = this.#open()
    this.messages.start()
    this.webhooks.start()
  }

  /** Titles of the requests to a host so far. */
  titles(name: string): readonly string[] {
    return this.sent
      .filter(({ post }) => post.url.hostname === `${name}.example`)
      .map(({ post }) => (JSON.parse(String(post.body)) as { message: { title: string } }).message.title)
  }

  #openMessages(): MessageBoard {
    const { clock, core } = this
    const home = () => ({ name: 'Home', timeZone: 'UTC', latitude: null, longitude: null, currency: 'EUR' })
    return new MessageBoard({ store: new SqliteMessages(core), clock, random: systemRandom, log: silentLog, home })
  }

  #open(): Webhooks {
    const { clock, core, messages } = this
    return new Webhooks({
      ...{ clock, messages, work: core, store: new SqliteWebhooks(core), random: systemRandom, log: silentLog },
      deliveries: new SqliteDeliveries(core, 'webhook'),
      from: () => ({ gateway: '7k2m', home: 'Home' }),
      entry: (what, cause) => administrationEntry(clock, what, cause),
      post: async (post) => {
        this.sent.push({ minute: (clock.now() - Date.UTC(2027, 0, 1, 12)) / MINUTE_MS, post })
        return this.answer(post)
      },
    })
  }
}

proves('messages.webhook-signature', 'a request is signed with the time and the secret of its webhook', async () => {
  const home = new WebhookHome()
  const secret = home.add('hook')
  home.messages.post(SMOKE)
  await home.clock.advanceAsync(0)
  const [{ post }] = home.sent as [WebhookHome['sent'][number]]
  const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(post.headers['hm-signature'] ?? '') ?? []
  expect(Number(time)).toBe(home.clock.now() / 1_000)
  expect(mac).toBe(
    createHmac('sha256', secret)
      .update(`${time}.${String(post.body)}`)
      .digest('hex'),
  )
  expect(JSON.parse(String(post.body))).toMatchObject({
    ...{ gateway: '7k2m', home: 'Home', repeat: 0 },
    message: { kind: 'smoke', urgency: 'alarm', title: SMOKE.title, device: 'kitchen', acknowledged: null },
  })
})

test('a webhook for ntfy gets its form at the root of the server', async () => {
  const home = new WebhookHome()
  home.add('ntfy', 'normal', 'ntfy')
  home.messages.post(SMOKE)
  await home.clock.advanceAsync(MINUTE_MS)
  expect(home.sent.map(({ post }) => post.url.href)).toEqual(Array(2).fill('https://ntfy.example/hooks/'))
  const [first, second] = home.sent.map(({ post }) => JSON.parse(String(post.body)) as object)
  expect(first).toEqual({ topic: 'home', title: 'Home', message: SMOKE.title, priority: 5, tags: ['fire'] })
  expect(second).toMatchObject({ message: `${SMOKE.title} (reminder 1)` })
})

const THIS_MACHINE = [
  ...['https://127.0.0.1:9/x', 'http://[::1]/', 'http://0x7f000001/', 'http://169.254.1.1/', 'http://[fe80::1]/'],
  ...['http://localhost:9/x', 'http://LocalHost./', 'https://ntfy.localhost/home', 'http://ip6-localhost/'],
]

describe('a webhook', () => {
  proves(
    'messages.webhook-retries',
    'is retried after 10 s, 1, 5, 30 min and 2 h, for 4 h, and an alarm for a day',
    async () => {
      const home = new WebhookHome()
      home.add('hook')
      home.answer = () => ({ kind: 'answered', status: 500 })
      home.messages.post(GATE)
      await home.clock.advanceAsync(DAY_MS)
      const minutes = home.sent.map(({ minute }) => Math.round(minute * 100) / 100)
      console.info(`a failing delivery is attempted at minutes ${minutes.join(', ')}`)
      expect(minutes).toEqual([0, 0.17, 1.17, 6.17, 36.17, 156.17])
      const [delivery] = home.webhooks.deliveriesOf(home.webhooks.list()[0]!.id, 1)
      expect(delivery).toMatchObject({ state: 'failed', attempts: 6, error: 'it answered 500' })
      const { id } = home.messages.post({ ...SMOKE, lasts: false })
      home.sent.splice(0)
      await home.clock.advanceAsync(2 * DAY_MS)
      const first = home.sent.filter(({ post }) => String(post.body).includes('"repeat":0'))
      expect(first.at(-1)!.minute - first[0]!.minute).toBeGreaterThan(22 * 60)
      expect(home.messages.get(id)?.acknowledgedAt).toBeNull()
    },
  )

  proves('messages.webhook-queues', 'that hangs delays no other, and no alarm', async () => {
    const home = new WebhookHome()
    home.add('hangs')
    home.add('works')
    home.answer = ({ url }) =>
      url.hostname.startsWith('works') ? { kind: 'answered', status: 204 } : new Promise(() => {})
    home.messages.post(GATE)
    home.messages.post(DISK)
    home.messages.post(SMOKE)
    await home.clock.advanceAsync(0)
    expect(home.titles('works')).toHaveLength(3)
    expect(home.titles('hangs')).toContain(SMOKE.title)
  })

  test('gets messages from its least urgency on', async () => {
    const home = new WebhookHome()
    home.add('alarms', 'alarm')
    home.add('high', 'high')
    for (const draft of [GATE, DISK, SMOKE]) home.messages.post(draft)
    await home.clock.advanceAsync(0)
    expect(home.titles('alarms')).toEqual([SMOKE.title])
    expect(home.titles('high').toSorted()).toEqual([SMOKE.title, DISK.title].toSorted())
  })

  test('gets one message for more than ten, and every alarm', async () => {
    const home = new WebhookHome()
    home.add('hook')
    for (let number = 0; number < 30; number += 1) home.messages.post({ ...GATE, ref: `gate ${number}` })
    home.messages.post(SMOKE)
    await home.clock.advanceAsync(0)
    expect(home.sent).toHaveLength(11)
    home.messages.acknowledge(home.messages.current().at(-1)!.id, 'Anna')
    await home.clock.advanceAsync(10 * MINUTE_MS)
    expect(home.titles('hook').at(-1)).toBe('20 more messages')
    expect(home.sent).toHaveLength(12)
  })

  test('gets what waits after a restart, but no message that somebody acknowledged', async () => {
    const home = new WebhookHome()
    home.add('hook')
    home.answer = () => ({ kind: 'failed', reason: 'its host was not found' })
    home.messages.post(GATE)
    const { id } = home.messages.post(DISK)
    await home.clock.advanceAsync(0)
    home.messages.acknowledge(id, 'Anna')
    home.restart()
    home.sent.splice(0)
    home.answer = () => ({ kind: 'answered', status: 200 })
    await home.clock.advanceAsync(HOUR_MS)
    expect(home.titles('hook')).toEqual([GATE.title])
  })

  proves('messages.webhook-secret', 'needs an address of the web, and shows neither it nor its secret again', () => {
    const home = new WebhookHome()
    const add = (url: string) => home.webhooks.add({ name: 'Hook', url, format: 'json', least: 'normal' }, ANNA)
    for (const url of [
      'ftp://x',
      'file:///etc/passwd',
      'javascript:1',
      'https://a:b@x.example',
      'nonsense',
      ...THIS_MACHINE,
    ])
      expect(add(url).ok, url).toBe(false)
    for (let number = 0; number < WEBHOOKS_MAX; number += 1) expect(add(`https://x.example/${number}`).ok).toBe(true)
    expect(add('https://x.example')).toMatchObject({ ok: false })
    const entries = home.core.peek(100).map(({ draft }) => draft.what)
    expect(entries[0]).toBe('webhook “Hook” to x.example added')
  })
})
