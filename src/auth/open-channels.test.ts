import { expect, test } from 'vitest'
import { fail, ok } from '../lib/result.ts'
import type { AuthFailure, RequestCredentials } from './authenticator.ts'
import { type ChannelOwner, OpenChannels } from './open-channels.ts'

const LIMITS = { all: 5, perCredential: 2 }

/** Channels with credentials that fail on demand. */
class Desk {
  readonly failures = new Map<RequestCredentials, AuthFailure>()
  readonly checked: string[] = []
  readonly ended: [ChannelOwner, AuthFailure][] = []
  readonly channels = new OpenChannels<ChannelOwner>({
    authenticator: {
      check: (token, via) => {
        this.checked.push(`${via} ${typeof token === 'string' ? token : 'nobody'}`)
        const failure = this.failures.get(token)
        return failure ? fail(failure) : ok(null)
      },
    },
    limits: LIMITS,
    end: (channel, failure) => this.ended.push([channel, failure]),
  })

  open(link: string, via: ChannelOwner['via'] = 'home'): ChannelOwner {
    const channel = { token: `token of ${link}`, via, link }
    this.channels.add(channel)
    return channel
  }
}

test('channels are limited per credential and in total, and a removed one makes room once', () => {
  const desk = new Desk()
  const { channels } = desk
  const first = desk.open('a')
  desk.open('a')
  expect([channels.full('a'), channels.full('b')]).toEqual(['perCredential', null])
  expect([channels.remove(first), channels.remove(first)]).toEqual([true, false])
  expect([channels.full('a'), channels.of('a').length, channels.size]).toEqual([null, 1, 1])
  for (const link of ['a', 'b', 'b', 'c']) desk.open(link)
  expect([channels.full('a'), channels.full('d')]).toEqual(['all', 'all'])
  for (const channel of channels.list()) channels.remove(channel)
  expect([channels.size, channels.list(), channels.full('a')]).toEqual([0, [], null])
})

test('a recheck ends the channels of failing credentials, and checks each token once per way in', () => {
  const desk = new Desk()
  const [a, again, cloud] = [desk.open('a'), desk.open('a'), desk.open('a', 'cloud')]
  desk.open('b')
  desk.failures.set('token of a', 'session_expired')
  desk.channels.recheck()
  expect(desk.checked).toEqual(['home token of a', 'cloud token of a', 'home token of b'])
  expect(desk.ended).toEqual([a, again, cloud].map((channel) => [channel, 'session_expired']))
  // The code that added a channel removes it: a socket counts until it is closed.
  expect(desk.channels.size).toBe(4)
})
