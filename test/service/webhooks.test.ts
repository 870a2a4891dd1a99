import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { MINUTE_MS } from '../../src/lib/durations.ts'
import { OPEN_MS } from '../../src/home/model/messages.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'

/** Address of the lock of the front door in the demo home. */
const FRONT_DOOR = 13

interface Hook extends AsyncDisposable {
  readonly url: string
  readonly received: { readonly title: string; readonly signature: unknown }[]
}

/** The name of the program leads to this machine. */
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])

/** A program on this machine that takes webhook requests. */
async function hook(): Promise<Hook> {
  const received: Hook['received'] = []
  const take = async (request: IncomingMessage): Promise<void> => {
    const { message } = (await json(request)) as { message: { title: string } }
    received.push({ title: message.title, signature: request.headers['hm-signature'] })
  }
  const server = createServer((request, response) => void take(request).then(() => response.writeHead(204).end()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://programs.example:${(server.address() as AddressInfo).port}/home`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

const add = (home: TestHome, url: string) =>
  home.running.admin.call<{ webhook: { id: string; host: string }; secret: string }>('POST', '/webhooks', {
    name: 'Hook',
    url,
  })

proves(
  ['messages.within', 'messages.webhook-secret'],
  'a door that stands open is at all channels at once',
  async () => {
    const clock = new PassingClock()
    // The network of the webhook is real, so its timeout is too.
    const outsideNetwork = { allowed: ['127.0.0.1'], resolve }
    await using receiver = await hook()
    await using home = await TestHome.open('http', { clock, relayClock: systemClock, outsideNetwork })
    const { webhook, secret } = await add(home, receiver.url)
    expect(await home.running.admin.call('POST', `/webhooks/${webhook.id}/test`)).toEqual({
      delivered: true,
      reason: null,
    })
    const socket = await home.socket()
    await socket.subscribe(['message'])

    home.running.sim.house.detect(FRONT_DOOR, 'door', true)
    await clock.hasten(
      expect.poll(() => home.running.gateway.home.live.readings('front-door')?.readings.door).toBe(true),
    )
    await clock.pass(OPEN_MS - MINUTE_MS)
    expect(receiver.received).toHaveLength(1)
    await clock.pass(MINUTE_MS)
    const begin = performance.now()
    const event = await socket.event(({ event: kind }) => kind === 'message')
    const eventMs = performance.now() - begin
    await expect.poll(() => receiver.received).toHaveLength(2)
    const hookMs = performance.now() - begin
    console.info(
      `a door open for 10 min: event after ${Math.round(eventMs)} ms, webhook after ${Math.round(hookMs)} ms`,
    )
    expect(event).toMatchObject({ state: { kind: 'entrance_open', title: 'Front door has been open for 10 minutes' } })
    expect(receiver.received[1]).toEqual({
      title: 'Front door has been open for 10 minutes',
      signature: expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/) as string,
    })

    home.running.sim.house.detect(FRONT_DOOR, 'door', false)
    await clock.hasten(socket.event(({ state }) => (state as { ended: unknown }).ended !== null))
    socket.close()
    const listed = JSON.stringify(await home.running.admin.call('GET', '/webhooks'))
    for (const hidden of [secret, '/home']) expect(listed).not.toContain(hidden)
    await home.running.admin.call('DELETE', `/webhooks/${webhook.id}`)
    expect(await home.running.admin.call('GET', '/webhooks')).toEqual({ webhooks: [] })
  },
)

proves('messages.webhook-secret', 'no request goes to this machine', async () => {
  await using receiver = await hook()
  await using home = await TestHome.open('http', { relayClock: systemClock, outsideNetwork: { resolve } })
  const { webhook } = await add(home, receiver.url)
  expect(await home.running.admin.call('POST', `/webhooks/${webhook.id}/test`)).toEqual({
    delivered: false,
    reason: 'its host is this machine, or has no address in a network',
  })
  expect(receiver.received).toEqual([])
})
