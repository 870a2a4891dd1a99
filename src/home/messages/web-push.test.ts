import { createECDH } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { administrationEntry } from '../../auth/credentials/pending-revocations.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqlitePersons } from '../../db/core/administrator-stores.ts'
import { SqliteDeliveries } from '../../db/core/delivery-store.ts'
import { SqliteMessages } from '../../db/core/message-store.ts'
import { SqlitePush } from '../../db/core/push-store.ts'
import type { Post, PostResult } from '../../lib/checked-post.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { PushBrowser, vapidClaims } from '#support/gateway/push-browser.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { MessageNotice } from '../model/messages.ts'
import { PUSH_MAX, PUSH_PER_PERSON_MAX } from '../model/push.ts'
import { LOOK_TITLE } from '../words/messages.ts'
import { conditionDraft, deviceDraft } from './home-messages.ts'
import { MessageBoard } from './messages.ts'
import { encrypted } from './push-encryption.ts'
import { CONTENT_BYTES } from './push-request.ts'
import { WebPush } from './web-push.ts'

const HOME = 'Sonnenwinkel'
const SMOKE = deviceDraft('smoke', 'kitchen', 'Kitchen: smoke detected')
const GATE = deviceDraft('entrance_open', 'gate', 'The driveway gate has been open for 10 minutes')
const DISK = conditionDraft('disk', 'disk', 'The disk is full', '/console/system')
const CAUSE = { source: 'person', name: 'Anna' } as const
const [ANNA, BEN] = ['anna222222', 'ben2222222']
const START = Date.UTC(2027, 0, 1, 12)

interface SentPost extends Post {
  readonly body: Buffer
  readonly minute: number
}

/** Web Push over real stores; `answer` answers each request. */
class PushHome {
  readonly clock = new ManualClock(START)
  readonly core = new CoreDb(':memory:')
  readonly persons = new SqlitePersons(this.core)
  readonly ended = new Set<string>()
  readonly sent: SentPost[] = []
  answer: (post: Post) => PostResult | Promise<PostResult> = () => ({ kind: 'answered', status: 201 })
  sees: (person: string, notice: Pick<MessageNotice, 'message' | 'isLast'>) => boolean = () => true
  messages = this.#openMessages()
  push: WebPush

  constructor() {
    const person = (id: string) => ({ id, name: id, password: null, createdAt: 0, integration: null })
    this.core.change(() => [ANNA, BEN].forEach((id) => this.persons.insert(person(id))))
    this.push = this.#open()
  }

  add(name: string, { person = ANNA, session = `${name}222222`.slice(0, 10), names = false } = {}): PushBrowser {
    const browser = new PushBrowser(`https://${name}.push.example/send/${name}`)
    const { endpoint, p256dh, auth } = browser
    const added = this.push.subscribe({ endpoint, p256dh, auth, person, session, browser: 'Firefox', names }, CAUSE)
    if (!added.ok) throw new Error(added.error)
    return browser
  }

  restart(): void {
    this.push.stop()
    this.messages.stop()
    this.messages = this.#openMessages()
    this.push = this.#open()
    this.messages.start()
    this.push.start()
  }

  /** Requests to a browser so far. */
  of({ endpoint }: PushBrowser): readonly SentPost[] {
    return this.sent.filter(({ url }) => url.href === endpoint)
  }

  #openMessages(): MessageBoard {
    const { clock, core } = this
    const home = () => ({ name: HOME, timeZone: 'UTC', latitude: null, longitude: null, currency: 'EUR' })
    return new MessageBoard({ store: new SqliteMessages(core), clock, random: systemRandom, log: silentLog, home })
  }

  #open(): WebPush {
    const { clock, core, messages, persons, ended } = this
    return new WebPush({
      ...{ clock, messages, work: core, store: new SqlitePush(core), random: systemRandom, log: silentLog },
      deliveries: new SqliteDeliveries(core, 'push'),
      home: () => HOME,
      isLive: ({ person, session }) => persons.get(person) !== undefined && !ended.has(session),
      ended: () => {},
      sees: (person, notice) => this.sees(person, notice),
      entry: (what, cause) => administrationEntry(clock, what, cause),
      post: async (post) => {
        this.sent.push({ ...post, body: post.body as Buffer, minute: (clock.now() - START) / MINUTE_MS })
        return this.answer(post)
      },
    })
  }
}

proves('messages.push-encryption', 'the example of RFC 8291 comes out equal', () => {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const p256dh = bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4')
  const keys = { p256dh, auth: bytes('BTBZMqHH6r4Tts7J_aSIgg') }
  const content = Buffer.from('When I grow up, I want to be a watermelon')
  expect(encrypted(content, keys, { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), ecdh }).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y' +
      'l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

describe('a push message', () => {
  proves('messages.push-secret', 'has one length, and words only where the device wants them', async () => {
    const home = new PushHome()
    const [plain, named] = [home.add('plain'), home.add('named', { names: true })]
    for (const draft of [GATE, DISK, SMOKE, { ...SMOKE, ref: 'long', title: '😀"'.repeat(400) }])
      home.messages.post(draft)
    await home.clock.advanceAsync(0)
    expect(new Set(home.sent.map(({ body }) => body.length)).size).toBe(1)
    expect(home.sent[0]!.body.length).toBeLessThan(4_096)
    const contents = home.of(plain).map((post) => plain.read(post))
    expect(contents.map(({ title }) => title)).toEqual(Array(4).fill(LOOK_TITLE))
    expect(Object.keys(contents[0]!).toSorted()).toEqual(['alarm', 'tag', 'title'])
    expect(contents.filter(({ alarm }) => alarm)).toHaveLength(2)
    const own = home.of(named).map((post) => named.read(post))
    expect(own.map(({ title }) => title)).toEqual(expect.arrayContaining([GATE.title, DISK.title, SMOKE.title]))
    expect(own.every(({ body }) => body === HOME)).toBe(true)
    // Neither headers nor bytes have a word of the home.
    const wire = home.sent.map(
      ({ url, headers, body }) => `${url.href}${JSON.stringify(headers)}${body.toString('latin1')}`,
    )
    for (const word of [HOME, 'kitchen', 'smoke', 'gate', 'anna', ANNA])
      expect(wire.join('').toLowerCase()).not.toContain(word.toLowerCase())
    expect(() => plain.read(home.of(named)[0]!)).toThrow(/authenticate/)
    expect(CONTENT_BYTES).toBe(1_024)
  })

  proves('messages.push-headers', 'is signed, says its urgency and life, and replaces what it repeats', async () => {
    const home = new PushHome()
    const browser = home.add('phone')
    home.messages.post(SMOKE)
    home.messages.post(GATE)
    await home.clock.advanceAsync(MINUTE_MS)
    const [smoke, gate, again] = home.of(browser) as [SentPost, SentPost, SentPost]
    expect(smoke.headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(gate.headers).toMatchObject({ ttl: '14400', urgency: 'normal' })
    expect(again.headers['topic']).toBe(smoke.headers['topic'])
    expect(gate.headers['topic']).not.toBe(smoke.headers['topic'])
    expect(smoke.headers['topic']).toMatch(/^[\w-]{32}$/)
    expect(browser.read(again).tag).toBe(browser.read(smoke).tag)
    const { aud, exp, sub } = vapidClaims(smoke.headers['authorization'], home.push.publicKey())
    expect(aud).toBe('https://phone.push.example')
    expect(exp - START / 1_000).toBe(12 * 3_600)
    expect(new URL(sub)).toMatchObject({
      protocol: 'https:',
      hostname: expect.not.stringMatching(/\.local$/) as string,
    })
  })

  proves('messages.push-answers', 'follows the answers of the push service', async () => {
    const home = new PushHome()
    const browsers = ['dead', 'busy', 'large', 'failing', 'redirect'].map((name) => home.add(name))
    const [dead, busy, large, failing, redirect] = browsers as [
      PushBrowser,
      PushBrowser,
      PushBrowser,
      PushBrowser,
      PushBrowser,
    ]
    const status: Record<string, number> = { dead: 410, busy: 429, large: 413, failing: 500, redirect: 302 }
    home.answer = ({ url }) => ({ kind: 'answered', status: status[url.hostname.split('.')[0]!]!, retryAfter: '1800' })
    home.messages.post(GATE)
    home.messages.post(DISK)
    await home.clock.advanceAsync(4 * HOUR_MS)
    expect(home.of(dead).length).toBeLessThanOrEqual(2)
    expect(home.push.list().map(({ endpoint }) => endpoint)).not.toContain(dead.endpoint)
    expect(home.of(large)).toHaveLength(2)
    expect(
      home
        .of(busy)
        .map(({ minute }) => minute)
        .slice(0, 4),
    ).toEqual([0, 0, 30, 30])
    const minutes = home
      .of(failing)
      .filter((_, index) => index % 2 === 0)
      .map(({ minute }) => Math.round(minute * 100) / 100)
    expect(minutes).toEqual([0, 0.17, 1.17, 6.17, 36.17, 156.17])
    expect(home.of(failing).at(-1)!.headers['ttl']).toBe(String(4 * 3_600 - 156 * 60 - 10))
    expect(home.of(redirect)).toHaveLength(12)
    expect(home.push.list()).toHaveLength(4)
  })
})

describe('a subscription', () => {
  proves('messages.push-queues', 'that hangs delays no other, and folds all but alarms', async () => {
    const home = new PushHome()
    const [hangs, works] = [home.add('hangs'), home.add('works')]
    home.answer = ({ url }) =>
      url.hostname.startsWith('works') ? { kind: 'answered', status: 201 } : new Promise(() => {})
    for (let number = 0; number < 1_000; number += 1) home.messages.post({ ...GATE, ref: `detection ${number}` })
    home.messages.post(SMOKE)
    await home.clock.advanceAsync(0)
    expect(home.of(works)).toHaveLength(11)
    expect(home.of(hangs)).toHaveLength(4)
    expect(home.of(works).filter((post) => works.read(post).alarm)).toHaveLength(1)
    home.messages.acknowledge(home.messages.current().at(-1)!.id, 'Anna')
    await home.clock.advanceAsync(10 * MINUTE_MS)
    // Ten messages and one with the number of the others, beside the alarm.
    expect(home.of(works)).toHaveLength(12)
  })

  test('gets nothing of an acknowledged alarm, and all that waits after a restart', async () => {
    const home = new PushHome()
    const browser = home.add('phone', { names: true })
    home.answer = () => ({ kind: 'failed', reason: 'its host was not found' })
    const { id } = home.messages.post(SMOKE)
    home.messages.post(DISK)
    await home.clock.advanceAsync(0)
    home.messages.acknowledge(id, 'a webhook')
    home.restart()
    home.sent.splice(0)
    home.answer = () => ({ kind: 'answered', status: 201 })
    await home.clock.advanceAsync(DAY_MS)
    expect(home.of(browser).map((post) => browser.read(post).title)).toEqual([DISK.title])
  })

  proves('messages.push-ends', 'ends with its person and its session, and has one browser', async () => {
    const home = new PushHome()
    const [, tablet, bens] = [home.add('phone'), home.add('tablet'), home.add('ben', { person: BEN })]
    home.ended.add('phone22222')
    home.push.recheck()
    home.core.change(() => home.persons.remove(BEN))
    home.push.recheck()
    home.messages.post(SMOKE)
    await home.clock.advanceAsync(0)
    expect(home.sent.map(({ url }) => url.href)).toEqual([tablet.endpoint])
    expect(home.of(bens)).toEqual([])
    // The same session with another address, and the same address in another session.
    const again = home.add('again', { session: 'tablet2222' })
    expect(home.push.list().map(({ endpoint }) => endpoint)).toEqual([again.endpoint])
    home.add('again', { session: 'other22222', names: true })
    expect(home.push.list()).toMatchObject([{ endpoint: again.endpoint, session: 'other22222', names: true }])
    home.restart()
    const rows = home.core.db.prepare('SELECT session FROM push_subscriptions').all()
    expect(rows).toEqual([{ session: 'other22222' }])
  })

  proves('messages.push-recipients', 'gets only messages for its person, also after a change', async () => {
    const home = new PushHome()
    const [annas, bens] = [home.add('anna', { names: true }), home.add('ben', { person: BEN })]
    home.sees = (person, { message }) => person === ANNA || message.device === 'kitchen'
    home.answer = () => ({ kind: 'answered', status: 503 })
    home.messages.post(GATE)
    home.messages.post(SMOKE)
    await home.clock.advanceAsync(0)
    expect([home.of(annas).length, home.of(bens).length]).toEqual([2, 1])
    home.sees = (person) => person === ANNA
    await home.clock.advanceAsync(10_000)
    expect([home.of(annas).length, home.of(bens).length]).toEqual([4, 1])
  })

  proves(
    'messages.push-address',
    'has a public address with valid keys, and a browser renews it with its secret',
    () => {
      const home = new PushHome()
      const { endpoint, p256dh, auth } = new PushBrowser('https://push.example/a')
      const sound = { endpoint, p256dh, auth, person: ANNA, session: 'session222', browser: '', names: false }
      const subscribe = (more: object) => home.push.subscribe({ ...sound, ...more }, CAUSE).ok
      for (const address of [
        'http://push.example/a',
        'https://127.0.0.1/',
        'https://192.168.1.5/',
        'https://localhost/',
      ])
        expect(subscribe({ endpoint: address }), address).toBe(false)
      for (const address of ['https://[fd00::1]/', 'https://10.1.1.1/', 'https://a:b@push.example/', 'nonsense'])
        expect(subscribe({ endpoint: address }), address).toBe(false)
      expect([subscribe({ p256dh: Buffer.alloc(65, 4) }), subscribe({ auth: Buffer.alloc(15) })]).toEqual([
        false,
        false,
      ])
      expect(subscribe({})).toBe(true)
      const fresh = new PushBrowser('https://push.example/b')
      expect(home.push.renew({ endpoint, auth: Buffer.alloc(16) }, fresh, CAUSE)).toBe(false)
      expect(home.push.renew({ endpoint, auth: Buffer.alloc(0) }, fresh, CAUSE)).toBe(false)
      expect(home.push.renew({ endpoint, auth }, fresh, CAUSE)).toBe(true)
      expect(home.push.list()).toMatchObject([{ endpoint: fresh.endpoint, person: ANNA, session: 'session222' }])
    },
  )

  test('is one of few of a person, and of a home', () => {
    const home = new PushHome()
    const session = (number: number): string => `s${1_000_000 + number}22`
    for (let number = 0; number < PUSH_PER_PERSON_MAX; number += 1) home.add(`a${number}`, { session: session(number) })
    expect(() => home.add('more', { session: session(99) })).toThrow(/at most 10 devices of a person/)
    expect(() => home.add('b0', { session: session(0) })).not.toThrow()
    expect(PUSH_MAX).toBe(100)
  })
})
