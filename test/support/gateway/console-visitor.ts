import { Agent, request } from 'node:https'
import { answerOf } from './answer-of.ts'
import { type RawAnswer, trusting } from './callers.ts'
import type { TestGateway } from './test-gateway.ts'
import { readFileSync } from 'node:fs'

/** Secrets that a signed-in browser sends. */
export interface ConsoleSecrets {
  readonly cookie: string
  readonly half: string
  readonly session: string
}

export interface VisitorRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Another source address of the loopback network. */
  readonly from?: string
}

/** A browser at the console. It reuses its connections and knows its origin. */
export class ConsoleVisitor implements Disposable {
  readonly #running: TestGateway
  readonly #ca: string
  readonly #agents = new Map<string, Agent>()

  constructor(running: TestGateway) {
    this.#running = running
    this.#ca = readFileSync(running.gateway.caFile, 'utf8')
  }

  get host(): string {
    return `localhost:${this.#running.gateway.port}`
  }

  get cookieName(): string {
    return `__Host-hm-${this.#running.gateway.serial}`
  }

  get origin(): string {
    return `https://${this.host}`
  }

  /** Sends one request without added headers except Host. */
  ask({ method = 'GET', path, headers = {}, body, from = '127.0.0.1' }: VisitorRequest): Promise<RawAnswer> {
    const agent = this.#agents.get(from) ?? new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
    this.#agents.set(from, agent)
    const payload = body === undefined ? null : JSON.stringify(body)
    const framed =
      payload === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#running.gateway.port,
          method,
          path,
          agent,
          headers: { host: this.host, ...framed, ...headers },
          ...trusting(this.#ca),
          servername: 'localhost',
        },
        (response) => void answerOf(response).then(resolve, reject),
      )
      sent.on('error', reject)
      sent.end(payload ?? undefined)
    })
  }

  /** A one-time code that opens the console. */
  async link(person?: string): Promise<string> {
    const { links } = await this.#running.admin.call<{ links: string[] }>('POST', '/links', person ? { person } : {})
    return links[0]?.split('#')[1] ?? ''
  }

  /** Signs in with the given credentials, from the console's own page. */
  signIn(what: object, more: Partial<VisitorRequest> = {}): Promise<RawAnswer> {
    const { headers, ...rest } = more
    return this.ask({
      method: 'POST',
      path: '/console/session',
      body: what,
      headers: { origin: this.origin, ...headers },
      ...rest,
    })
  }

  /** Signs in with a fresh link. */
  async signInByLink(person?: string): Promise<ConsoleSecrets> {
    return secretsOf(await this.signIn({ link: await this.link(person) }))
  }

  /** Headers that a console page sends with each request. */
  headersOf({ cookie, half }: ConsoleSecrets): Record<'cookie' | 'x-hm-session' | 'origin', string> {
    return { cookie: `${this.cookieName}=${cookie}`, 'x-hm-session': half, origin: this.origin }
  }

  /** Sends a request as the page of a signed-in person. */
  as(secrets: ConsoleSecrets, method: string, path: string, body?: unknown): Promise<RawAnswer> {
    return this.ask({ method, path, body, headers: this.headersOf(secrets) })
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }
}

/** The secrets of a successful sign-in. @throws if it was refused */
export function secretsOf(answer: RawAnswer): ConsoleSecrets {
  if (answer.status !== 201) throw new Error(`Signing in answered ${answer.status}: ${answer.text}`)
  const [set = ''] = [answer.headers?.['set-cookie'] ?? []].flat()
  const { half, session } = answer.body as { half: string; session: string }
  return { cookie: /^__Host-hm-[0-9a-z]+=([^;]+);/.exec(set)?.[1] ?? '', half, session }
}
