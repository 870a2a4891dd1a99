import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { parseJson } from '../lib/json.ts'
import { drain, hello, type label, link, notices, type Passthrough, replaced, welcome } from '../wire/control.ts'
import { proofBytes } from '../wire/proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '../wire/tunnel.ts'
import { jsonAnswer, refuseStream, send } from './answering.ts'
import type { ControlRequest, HostedControl } from './hosted-control.ts'
import type { Identity } from './identity.ts'

export type HelloAsk = z.output<typeof hello.ask>
export type LinkAsk = z.output<typeof link.ask>
export type WelcomeAsk = z.output<typeof welcome.ask>
type HelloAnswer = z.output<typeof hello.answer>

/** What the gateway says of a tunnel when it opens. */
export interface Greeting {
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly passthrough: Passthrough
  readonly wants: HelloAnswer['wants']
}

/** What one tunnel makes of what its relay says. */
export interface ControlEvents {
  greeted(relay: HelloAsk): void
  /** Resolves when what it says is stored, or could not be: the relay is answered then. */
  welcomed(ask: WelcomeAsk): void | Promise<void>
  link(ask: LinkAsk): void
  drain(retryAfter: number): void
  /** News of linked accounts. */
  noticed(news: z.output<typeof notices.ask>['notices']): void
  /** A tunnel of this epoch has the place of this one. */
  replaced(epoch: number): void
  /** The home's name. */
  house(): string
}

export interface ControlParts {
  readonly hosted: Pick<HostedControl, 'answer'>
  /** Whether the home is linked: of no other does a relay ask anything but who it is. */
  readonly isLinked: () => boolean
  readonly passthrough: () => Passthrough
  readonly identity: Identity
  readonly socket: TLSSocket
  readonly greeting: Greeting
  readonly events: ControlEvents
}

/** What is answered to a body; null where it has not the right form. */
type Control = (body: unknown) => object | null | Promise<object>

const BODY_BYTES_MAX = 16 * 1024

/** Refuses whatever passes the relay so that it could be read there. */
export const END_TO_END_ALONE = refusedWith('misdirected_request', {
  message:
    "Through the relay this home is reached end to end alone: connect to the relay by the gateway's own name, and trust the gateway's own CA.",
})

/** What the relay itself asks the gateway, one JSON body a stream; anything else is refused in the Error shape. */
export class ControlStreams {
  readonly #parts: ControlParts
  readonly #answers: Readonly<Record<string, Control>>

  constructor(parts: ControlParts) {
    this.#parts = parts
    this.#answers = answersOf(parts)
  }

  /** Answers one request; never throws. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const left = new AbortController()
    stream.once('close', () => left.abort())
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else chunks.push(chunk)
    })
    stream.once('end', () => {
      if (bytes > BODY_BYTES_MAX) return
      const request = { method: headers[':method'] ?? '', path: headers[':path'] ?? '', signal: left.signal }
      this.#answer(request, Buffer.concat(chunks).toString('utf8')).then(
        (answer) => send(stream, answer),
        (error: unknown) => {
          const refusal = refusalOf(error)
          if (refusal === null) refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR)
          else send(stream, refusalAnswer(refusal))
        },
      )
    })
  }

  async #answer(request: ControlRequest, text: string): Promise<Answer> {
    const body = text === '' ? { ok: true as const, value: {} } : parseJson(text)
    if (!body.ok) return refusedWith('validation')
    const { hosted, isLinked, passthrough, events } = this.#parts
    const name = `${request.method} ${request.path}`
    const answer = Object.hasOwn(this.#answers, name) ? this.#answers[name] : undefined
    if (answer === undefined) {
      if (!isLinked()) return refusedWith('not_found')
      // It learns no name, and tokens that it could read are not made; that they end can always be asked for.
      if (passthrough() === 'only' && name !== 'POST /revocations') return END_TO_END_ALONE
      if (name === 'GET /label') return jsonAnswer({ house: events.house() } satisfies z.output<typeof label.answer>)
      return hosted.answer(request, body.value)
    }
    const content = await answer(body.value)
    return content === null ? refusedWith('validation') : jsonAnswer(content)
  }
}

function answersOf({ identity, socket, greeting, events }: ControlParts): Readonly<Record<string, Control>> {
  const taking =
    <S extends z.ZodType>(shape: S, take: (ask: z.output<S>) => object | Promise<object>): Control =>
    (body) => {
      const ask = shape.safeParse(body)
      return ask.success ? take(ask.data) : null
    }
  const telling = <S extends z.ZodType>(shape: S, tell: (ask: z.output<S>) => void | Promise<void>): Control =>
    taking(shape, async (ask) => {
      await tell(ask)
      return {}
    })
  return {
    'POST /hello': taking(hello.ask, (ask) => {
      events.greeted(ask)
      return {
        ...greeting,
        publicKey: identity.publicKey,
        signature: proof(identity, socket, greeting.serial, ask.nonce),
      }
    }),
    'POST /welcome': telling(welcome.ask, (ask) => events.welcomed(ask)),
    'POST /notices': telling(notices.ask, (ask) => events.noticed(ask.notices)),
    'POST /link': telling(link.ask, (ask) => events.link(ask)),
    'POST /replaced': telling(replaced.ask, ({ epoch }) => events.replaced(epoch)),
    'POST /drain': telling(drain.ask, ({ retryAfter }) => events.drain(retryAfter)),
  }
}

/** Bound to this TLS connection: the relay cannot show it to another. */
function proof(identity: Identity, socket: TLSSocket, serial: string, nonce: string): string {
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
  return identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
}
