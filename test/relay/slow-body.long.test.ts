// @module-tag long
import { describe, expect } from 'vitest'
import { dial, readUntilClosed, statusOf } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

describe('a body that takes too long', () => {
  proves('relay.left', 'gets 408, and is no error in the log', async () => {
    const log = recordingLog()
    const { relay, home } = await relayedHome({ log })
    const token = `Authorization: Bearer ${home.main.token}`
    const answers = ['/v1/pair', '/signin', '/token', home.at('hall-light', '/control')].map(async (path) => {
      const form = path === '/signin' || path === '/token'
      const socket = await dial(relay.access(null))
      const response = readUntilClosed(socket)
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          `Origin: ${relay.relay.url}`,
          `Content-Type: ${form ? 'application/x-www-form-urlencoded' : 'application/json'}`,
          token,
          'Content-Length: 100',
          '\r\n{',
        ].join('\r\n'),
      )
      return statusOf(await response)
    })
    expect(await Promise.all(answers)).toEqual([408, 408, 408, 408])
    expect(log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  })
})
