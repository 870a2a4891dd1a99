import { ConnectionError } from './error.ts'
import type { HttpAnswer, HttpRequest, StreamLine, StreamListener, Transport } from './transport.ts'

/** Timeout of a request that names none. */
export const ANSWER_WAIT_MS = 60_000

export interface BrowserOptions {
  /** Origin and path prefix before `/v1`. Default: the page's own origin. */
  readonly base?: string
  /** Path of the stream, from the origin. Default: `/v1/stream` behind the base. */
  readonly stream?: string
  /** Called for every request; its headers are added. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Called for every socket; its subprotocols carry the information that a browser cannot put into headers. */
  readonly protocols?: () => readonly string[]
}

const OPTION_NAMES: readonly string[] = ['base', 'stream', 'headers', 'protocols'] satisfies (keyof BrowserOptions)[]

/**
 * Refuses connection codes and their parts, which only Node can use: a browser trusts the CAs of its system, so a
 * fingerprint has no effect there. Programs without types get the same error.
 * @throws TypeError for anything but browser options
 */
export function checkedOptions(options: unknown = {}): BrowserOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(
      'A browser does not take a connection code: it trusts the CAs of its system. Pass { base, headers }, or connect in Node.',
    )
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.includes(name))
  if (unknown.length > 0)
    throw new TypeError(
      `A browser does not take ${unknown.join(', ')}, but ${OPTION_NAMES.join(', ')}. Connect in Node by a connection code or its parts.`,
    )
  return options
}

/** Uses `fetch` for requests and `WebSocket` for the stream. The browser decides which CAs it trusts. */
export function browserTransport({ base = '', stream, headers, protocols }: BrowserOptions = {}): Transport {
  return {
    request: (request) => requested(base, request, headers?.() ?? {}),
    stream: (listener) => {
      const url = new URL(stream ?? `${base}/v1/stream`, /^https?:/.test(base) ? base : pageAddress())
      url.protocol = url.protocol.replace('http', 'ws')
      return lineOf(new WebSocket(url, [...(protocols?.() ?? [])]), listener)
    },
  }
}

/** A browser's page has an address; the types of Node have no page. */
const pageAddress = (): string | undefined =>
  (globalThis as { readonly location?: { readonly href: string } }).location?.href

async function requested(
  base: string,
  { method, path, headers, body, signal, waitMs }: HttpRequest,
  own: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const late = AbortSignal.timeout(waitMs ?? ANSWER_WAIT_MS)
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...own, ...headers },
      body,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The gateway did not answer.', { isSent: true, cause: error })
  }
}

function lineOf(socket: WebSocket, listener: StreamListener): StreamLine {
  socket.addEventListener('open', () => listener.opened())
  socket.addEventListener('message', ({ data }) => listener.heard(typeof data === 'string' ? data : null))
  socket.addEventListener('close', ({ code }) => listener.closed(code))
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(),
  }
}
