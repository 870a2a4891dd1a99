import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { parseJson } from '../lib/json.ts'
import {
  drain,
  hello,
  type label,
  link,
  notices,
  type PassthroughMode,
  replaced,
  welcome,
} from '../wire/relay-messages.ts'
import { proofBytes } from '../wire/identity-proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '../wire/tunnel.ts'
import { type BodyHandler, jsonAnswer, refuseStream, send, validating } from './stream-responses.ts'
import type { ControlRequest, HostedControl } from './hosted-control.ts'
import type { GatewayIdentity } from './identity.ts'

export type HelloRequest = z.output<typeof hello.request>
export type LinkCode = z.output<typeof link.request>
export type WelcomeMessage = z.output<typeof welcome.request>
type HelloAnswer = z.output<typeof hello.response>

/** The gateway's response to the relay's hello: its description of a new tunnel. */
export interface Greeting {
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly passthrough: PassthroughMode
  readonly wants: HelloAnswer['wants']
}

/** Handlers for messages of the relay about linking the home to accounts. */
export interface LinkMessageHandler {
  onLinkCode(code: LinkCode): void
  /** The relay gets its response when this resolves: the accounts are stored, or could not be. */
  onWelcome(message: WelcomeMessage): void | Promise<void>
  /** Notices about linked accounts. */
  onNotices(list: z.output<typeof notices.request>['notices']): void
  /** A tunnel with this epoch and the same key replaced this one. */
  onReplaced(epoch: number): void
}

/** Handlers for all messages of the relay over one tunnel. */
export interface ControlEvents extends LinkMessageHandler {
  onHello(relay: HelloRequest): void
  onDrain(retryAfter: number): void
  /** The home's name. */
  houseName(): string
}

export interface ControlParts {
  readonly hosted: HostedControl
  /** True if the home is linked. Otherwise the relay gets the gateway's identity and nothing about the home. */
  readonly isLinked: () => boolean
  readonly passthrough: () => PassthroughMode
  readonly identity: GatewayIdentity
  readonly socket: TLSSocket
  readonly greeting: Greeting
  readonly events: ControlEvents
}

const BODY_BYTES_MAX = 16 * 1024

/** Refusal of requests that the relay could read. */
export const END_TO_END_ONLY = refusedWith('misdirected_request', {
  message:
    "Through the relay this home accepts only end-to-end connections: connect to the relay by the gateway's own name, and trust the gateway's own CA.",
})

/**
 * Handles the relay's own requests, each a JSON body on one stream. Refuses others in the Error shape and never throws.
 */
export function controlStreams(parts: ControlParts): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void {
  const handlers = handlersOf(parts)
  return (stream, headers) => {
    const streamClosed = new AbortController()
    stream.once('close', () => streamClosed.abort())
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else chunks.push(chunk)
    })
    stream.once('end', () => {
      if (bytes > BODY_BYTES_MAX) return
      const request = { method: headers[':method'] ?? '', path: headers[':path'] ?? '', signal: streamClosed.signal }
      answerRequest(request, Buffer.concat(chunks).toString('utf8'), handlers, parts).then(
        (answer) => send(stream, answer),
        (error: unknown) => {
          const refusal = refusalOf(error)
          if (refusal === null) refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR)
          else send(stream, refusalAnswer(refusal))
        },
      )
    })
  }
}

/** Handlers by method and path, such as `POST /hello`. */
type Handlers = Readonly<Record<string, BodyHandler>>

async function answerRequest(
  request: ControlRequest,
  text: string,
  handlers: Handlers,
  { hosted, isLinked, passthrough, events }: ControlParts,
): Promise<Answer> {
  const body = text === '' ? { ok: true as const, value: {} } : parseJson(text)
  if (!body.ok) return refusedWith('validation')
  const route = `${request.method} ${request.path}`
  const handler = handlers[route]
  if (handler !== undefined) return handler(body.value)
  if (!isLinked()) return refusedWith('not_found')
  // The relay gets neither the home's name nor tokens, which it could read. Revocations are always accepted.
  if (passthrough() === 'only' && route !== 'POST /revocations') return END_TO_END_ONLY
  if (route === 'GET /label') return jsonAnswer({ house: events.houseName() } satisfies z.output<typeof label.response>)
  return hosted(request, body.value)
}

function handlersOf({ identity, socket, greeting, events }: ControlParts): Handlers {
  const acknowledging = <S extends z.ZodType>(
    shape: S,
    handle: (message: z.output<S>) => void | Promise<void>,
  ): BodyHandler =>
    validating(shape, async (message) => {
      await handle(message)
      return jsonAnswer({})
    })
  return {
    'POST /hello': validating(hello.request, (message) => {
      events.onHello(message)
      const signature = proof(identity, socket, greeting.serial, message.nonce)
      return jsonAnswer({ ...greeting, publicKey: identity.publicKey, signature })
    }),
    'POST /welcome': acknowledging(welcome.request, (message) => events.onWelcome(message)),
    'POST /notices': acknowledging(notices.request, (message) => events.onNotices(message.notices)),
    'POST /link': acknowledging(link.request, (message) => events.onLinkCode(message)),
    'POST /replaced': acknowledging(replaced.request, ({ epoch }) => events.onReplaced(epoch)),
    'POST /drain': acknowledging(drain.request, ({ retryAfter }) => events.onDrain(retryAfter)),
  }
}

/** Signature bound to this TLS connection, so that the relay cannot forward it to another relay. */
function proof(identity: GatewayIdentity, socket: TLSSocket, serial: string, nonce: string): string {
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
  return identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
}
