import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { MINUTE_MS } from '../../src/lib/durations.ts'
import { deviceDraft } from '../../src/home/messages/home-messages.ts'
import { type MessageDraft, OPEN_MS } from '../../src/home/model/messages.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { PushBrowser, type PushedRequest, vapidClaims } from '#support/gateway/push-browser.ts'
import { pushService } from '#support/gateway/push-service.ts'
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

/** Lets a browser get messages, in a session of an administrator. */
async function subscribe(home: TestHome, { address }: PushBrowser): Promise<void> {
  await home.running.admin.call('POST', '/persons', { name: 'Anna', password: 'correct horse battery' })
  using visitor = new ConsoleVisitor(home.running)
  const added = await visitor.as(await visitor.signInByLink('Anna'), 'POST', '/admin/v1/push', address)
  expect(added.status).toBe(201)
}

const smoke = (number: number): MessageDraft => ({
  ...deviceDraft('smoke', 'front-door', `Smoke detected by sensor ${number}`),
  ref: `smoke ${number}`,
})

proves(
  ['messages.within', 'messages.push-within', 'messages.webhook-secret'],
  'a door that stands open is at all channels at once, and a push service that hangs delays no other',
  async () => {
    const clock = new PassingClock()
    // The network of the webhook is real, so its timeout is too.
    await using pushed = await pushService()
    const { network: outsideNetwork } = pushed
    await using receiver = await hook()
    await using home = await TestHome.open('http', { clock, relayClock: systemClock, outsideNetwork })
    const { webhook, secret } = await add(home, receiver.url)
    expect(await home.running.admin.call('POST', `/webhooks/${webhook.id}/test`)).toEqual({
      delivered: true,
      reason: null,
    })
    const socket = await home.socket()
    await socket.subscribe(['message'])
    const phone = new PushBrowser(`${pushed.origin}/send/phone`)
    await subscribe(home, phone)

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
    await expect.poll(() => pushed.received).toHaveLength(1)
    const pushMs = performance.now() - begin
    console.info(
      `a door open for 10 min: event after ${Math.round(eventMs)} ms, webhook after ${Math.round(hookMs)} ms, push after ${Math.round(pushMs)} ms`,
    )
    expect(event).toMatchObject({ state: { kind: 'entrance_open', title: 'Front door has been open for 10 minutes' } })
    expect(receiver.received[1]).toEqual({
      title: 'Front door has been open for 10 minutes',
      signature: expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/) as string,
    })

    const [request] = pushed.received as [PushedRequest]
    expect(phone.read(request)).toMatchObject({ title: 'Look at your home', alarm: false })
    const { key } = await home.running.admin.call<{ key: string }>('GET', '/push')
    expect(vapidClaims(request.headers['authorization'], key).aud).toBe(pushed.origin)

    pushed.hang()
    for (let number = 0; number < 6; number += 1) home.running.gateway.home.messages.post(smoke(number))
    await expect.poll(() => receiver.received).toHaveLength(8)
    await socket.event(({ state }) => (state as { title: unknown }).title === smoke(5).title)

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
