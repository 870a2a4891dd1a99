import { describe, expect, test } from 'vitest'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteMessages } from '../../db/core/message-store.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import type { HomeInfo, QuietHours } from '../model/house.ts'
import { FOLD_AFTER, type MessageDraft, MESSAGES_MAX, type MessageNotice } from '../model/messages.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Fold } from './fold.ts'
import { conditionDraft, deviceDraft } from './home-messages.ts'
import { MessageBoard } from './messages.ts'

const SMOKE = deviceDraft('smoke', 'kitchen', 'Kitchen: smoke detected')
const open = (device: string): MessageDraft => deviceDraft('entrance_open', device, `${device} is open`)
const START = Date.UTC(2027, 0, 1, 12)

/** A board over a real store, with a clock that a test moves. */
class MessageHome {
  readonly clock = new ManualClock(START)
  readonly core = new CoreDb(':memory:')
  readonly store = new SqliteMessages(this.core)
  readonly notices: MessageNotice[] = []
  quiet: QuietHours | null = null
  messages = this.start()

  start(): MessageBoard {
    const { clock, store } = this
    const home = (): HomeInfo => ({
      ...{ name: 'Home', timeZone: 'UTC', latitude: null, longitude: null, currency: 'EUR' },
      ...(this.quiet === null ? {} : { quiet: this.quiet }),
    })
    const messages = new MessageBoard({ store, clock, random: systemRandom, log: silentLog, home })
    messages.notices.on((notice) => this.notices.push(notice))
    messages.start()
    return messages
  }

  restart(): void {
    this.messages.stop()
    this.messages = this.start()
  }

  /** Minutes since the start of every notice so far. */
  minutes(): readonly number[] {
    return this.#times
  }

  readonly #times: number[] = []

  constructor() {
    this.messages.notices.on(() => this.#times.push((this.clock.now() - START) / MINUTE_MS))
  }
}

describe('an alarm', () => {
  proves(
    'messages.repeat',
    'repeats after 1, 5 and 15 minutes, then each 30, ten times, then for administrators',
    () => {
      const home = new MessageHome()
      home.messages.post(SMOKE)
      home.clock.advance(DAY_MS)
      console.info(`an unacknowledged alarm repeats at minutes ${home.minutes().slice(1).join(', ')}`)
      expect(home.minutes()).toEqual([0, 1, 5, 15, 45, 75, 105, 135, 165, 195, 225, 255])
      expect(home.notices.map(({ isLast }) => isLast)).toEqual([...Array<boolean>(11).fill(false), true])
    },
  )

  proves('messages.acknowledge', 'is not repeated once somebody acknowledged it', () => {
    const home = new MessageHome()
    const { id } = home.messages.post(SMOKE)
    home.clock.advance(5 * MINUTE_MS)
    const before = home.clock.monotonic()
    expect(home.messages.acknowledge(id, 'Anna')).toMatchObject({ acknowledgedBy: 'Anna' })
    console.info(`one acknowledgement ended all repetitions after ${home.clock.monotonic() - before} ms`)
    home.clock.advance(DAY_MS)
    expect(home.notices.map(({ change }) => change)).toEqual(['new', 'repeat', 'repeat', 'update'])
    expect(home.store.get(id)).toMatchObject({ acknowledgedBy: 'Anna', nextAt: null })
  })

  test('is not repeated after its end, but stays unacknowledged', () => {
    const home = new MessageHome()
    home.messages.post(SMOKE)
    home.clock.advance(2 * MINUTE_MS)
    home.messages.end('smoke', 'kitchen')
    home.clock.advance(DAY_MS)
    expect(home.notices.map(({ change }) => change)).toEqual(['new', 'repeat', 'update'])
    expect(home.messages.current()).toHaveLength(1)
  })

  test('repeats over a restart, once for all missed times', () => {
    const home = new MessageHome()
    home.messages.post(SMOKE)
    home.clock.advance(MINUTE_MS)
    home.messages.stop()
    home.clock.advance(20 * MINUTE_MS)
    home.restart()
    home.clock.advance(0)
    expect(home.notices.map(({ repeat }) => repeat)).toEqual([0, 1, 2])
    home.clock.advance(9 * MINUTE_MS)
    expect(home.notices).toHaveLength(3)
    home.clock.advance(MINUTE_MS)
    expect(home.notices).toHaveLength(4)
  })

  test('repeats in time after a jump of the wall clock', () => {
    const home = new MessageHome()
    home.messages.post(SMOKE)
    home.clock.jumpWall(-365 * DAY_MS)
    home.clock.advance(15 * MINUTE_MS)
    expect(home.notices).toHaveLength(4)
  })

  test('that comes again after an acknowledgement is a new one', () => {
    const home = new MessageHome()
    const first = home.messages.post(SMOKE)
    home.messages.acknowledge(first.id, 'Anna')
    home.messages.end('smoke', 'kitchen')
    home.clock.advance(1_000)
    expect(home.messages.post(SMOKE).id).not.toBe(first.id)
  })

  test('is sent although the disk accepts no writes', () => {
    const home = new MessageHome()
    home.core.db.close()
    home.messages.post(SMOKE)
    home.clock.advance(MINUTE_MS)
    expect(home.notices).toHaveLength(2)
  })
})

describe('equal messages', () => {
  proves('messages.gather', 'within a minute are one, and so is a condition that lasts or returns', () => {
    const home = new MessageHome()
    const first = home.messages.post(SMOKE)
    for (let times = 0; times < 600; times += 1) {
      home.clock.advance(250)
      home.messages.end('smoke', 'kitchen')
      home.clock.advance(250)
      expect(home.messages.post(SMOKE).id).toBe(first.id)
    }
    home.clock.advance(0)
    expect(home.notices.filter(({ change }) => change !== 'update').map(({ repeat }) => repeat)).toEqual([0, 1, 2])
    const failed = { ...conditionDraft('rule_failed', 'automation:a', 'A rule failed', '/'), lasts: false }
    const one = home.messages.post(failed)
    home.clock.advance(MINUTE_MS - 1)
    expect(home.messages.post(failed).id).toBe(one.id)
    home.clock.advance(1)
    expect(home.messages.post(failed).id).not.toBe(one.id)
  })
})

describe('quiet hours', () => {
  proves('messages.quiet', 'hold normal messages until their end, and no others', () => {
    const home = new MessageHome()
    home.quiet = { from: '11:00', until: '13:30' }
    home.messages.post(open('gate'))
    home.messages.post(conditionDraft('disk', 'disk', 'The disk is full', '/'))
    home.messages.post(SMOKE)
    expect(home.notices.map(({ message }) => message.kind)).toEqual(['disk', 'smoke'])
    home.restart()
    home.clock.advance(90 * MINUTE_MS - 1)
    expect(home.notices.some(({ message }) => message.kind === 'entrance_open')).toBe(false)
    home.clock.advance(1)
    expect(home.notices.filter(({ message }) => message.kind === 'entrance_open')).toHaveLength(1)
  })

  test('drop a message whose condition ended', () => {
    const home = new MessageHome()
    home.quiet = { from: '11:00', until: '13:30' }
    home.messages.post(open('gate'))
    home.messages.end('entrance_open', 'gate')
    home.clock.advance(DAY_MS)
    expect(home.notices).toEqual([])
  })

  test('release their messages when they are removed', () => {
    const home = new MessageHome()
    home.quiet = { from: '11:00', until: '13:30' }
    home.messages.post(open('gate'))
    home.quiet = null
    home.messages.recheckQuiet()
    expect(home.notices).toHaveLength(1)
  })
})

proves('messages.fold', 'a channel gets ten messages in ten minutes, then one with the number of others', () => {
  const home = new MessageHome()
  const sent: string[] = []
  const fold = new Fold(home.clock, (count) => sent.push(`${count} more`))
  home.messages.notices.on(({ message, change }) => {
    if (change === 'new' && fold.admits(message.urgency)) sent.push(message.kind)
  })
  for (let detection = 0; detection < 1_000; detection += 1) {
    const device = `device-${detection % 500}`
    if (detection === 900) home.messages.post(SMOKE)
    if (detection >= 500) home.messages.end('entrance_open', device)
    home.messages.post(open(device))
    home.clock.advance(MINUTE_MS / 1_000)
  }
  home.clock.advance(10 * MINUTE_MS)
  const alarms = sent.filter((kind) => kind === 'smoke').length
  console.info(`1,000 detections in a minute: ${sent.length - alarms} messages and ${alarms} of 1 alarm`)
  expect(sent).toHaveLength(FOLD_AFTER + 2)
  expect(sent.slice(-2)).toEqual(['smoke', '490 more'])
})

proves('messages.kept', 'messages are kept for 30 days, and at most 2,000', () => {
  const home = new MessageHome()
  const alarm = home.messages.post(SMOKE)
  for (let number = 0; number < MESSAGES_MAX + 10; number += 1) home.messages.post(open(`device-${number}`))
  home.clock.advance(HOUR_MS)
  home.messages.post(open('gate'))
  const all = home.messages.page({ before: null, limit: 9_999, fits: () => true }) ?? []
  expect(all).toHaveLength(MESSAGES_MAX + 2)
  expect(all.at(-1)?.id).toBe(alarm.id)
  home.clock.advance(31 * DAY_MS)
  home.messages.post(open('door'))
  const rest = home.messages.page({ before: null, limit: 9_999, fits: () => true }) ?? []
  expect(rest.map(({ ref }) => ref)).toEqual(['door', 'kitchen'])
})
