import { connect } from 'node:net'
import { rawRequest, exchangeBytes } from '#support/gateway/raw-client.ts'
import { helloOf } from './client-hello.ts'
import { madeUpHome, madeUpToken } from '../../../bench/made-up-home.ts'

interface Door {
  readonly url: string
  readonly ca: string
}

const UPGRADE = [
  'GET /v1/stream HTTP/1.1',
  'host: localhost',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n')
const FRAME = Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5, 6])

/**
 * One request of every kind to a home at the same time: reads, writes, an agent's request, a stream, an end-to-end
 * connection, and the relay's own requests for agents. Resolves when each has ended, with the number of
 * responses.
 */
export async function clientsOf(door: Door, number: number, client: string): Promise<number> {
  const authorization = `Bearer ${madeUpToken(number)}`
  const { serial } = madeUpHome(number)
  const json = { authorization, 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const refresh = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client,
    refresh_token: `hm_refresh_${serial}.0b6e9c1e-0000-4000-8000-000000000000.made.up`,
  })
  const all = await Promise.allSettled([
    rawRequest(door, { path: '/v1/house', headers: { authorization } }),
    rawRequest(door, { method: 'HEAD', path: '/v1/state', headers: { authorization } }),
    rawRequest(door, { method: 'POST', path: '/v1/control', headers: json, body: `{"x":"${'y'.repeat(60_000)}"}` }),
    rawRequest(door, { method: 'POST', path: '/mcp', headers: json, body: '{"jsonrpc":"2.0"}' }),
    rawRequest(door, { method: 'POST', path: '/token', headers: form, body: refresh.toString() }),
    rawRequest(door, {
      method: 'POST',
      path: '/v1/pair/token',
      headers: json,
      body: JSON.stringify({ code: `${serial}.x` }),
    }),
    exchangeBytes(door, `${UPGRADE}\r\nauthorization: ${authorization}\r\n\r\n`, FRAME, FRAME),
    endToEnd(door, serial),
  ])
  return all.filter(({ status }) => status === 'fulfilled').length
}

/** Resolves once the connection has ended. */
async function endToEnd({ url }: Door, serial: string): Promise<void> {
  const hello = await helloOf({ servername: `hm-${serial}.local` })
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(hello))
  socket.on('error', () => {}).once('close', () => resolve())
  socket.resume()
  await promise
}

/** Registers a client, so that the relay requests tokens from a home. */
export async function registered(door: Door): Promise<string> {
  const body = JSON.stringify({
    redirect_uris: ['https://agents.example/callback'],
    token_endpoint_auth_method: 'none',
  })
  const headers = { 'content-type': 'application/json' }
  const { text } = await rawRequest(door, { method: 'POST', path: '/register', headers, body })
  return (JSON.parse(text) as { readonly client_id: string }).client_id
}
