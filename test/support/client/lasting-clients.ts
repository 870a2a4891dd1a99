import { expect, onTestFinished } from 'vitest'
import { ERAS, refusalOf } from '#support/gateway/agents.ts'
import type { TestAdmin } from '#support/gateway/test-admin.ts'
import { type LastingClient, lastingPython, lastingTypeScript, type UserAnswer } from './lasting-client.ts'

/** A client with the messages that it has sent to initialize. */
export interface ConnectedClient {
  readonly client: LastingClient
  readonly name: string
  readonly asks: boolean
  readonly introduced: Readonly<Record<string, number>>
}

/** A kind of client; each kind has its own grants. */
export interface ClientKind {
  readonly language: LastingClient['language']
  /** True if the client can ask its user. */
  readonly asks: boolean
}

export interface EveryClientParts {
  readonly url: string
  readonly ca: string
  readonly admin: TestAdmin
  readonly token: (kind: ClientKind) => string | Promise<string>
  /** The interpreter for clients of Python; null without one. */
  readonly python: string | null
}

/** Connects clients of each language and revision, with and without the ability to ask their user. */
export async function everyClient({
  url,
  ca,
  admin,
  token,
  python,
}: EveryClientParts): Promise<readonly ConnectedClient[]> {
  const languages = {
    TypeScript: lastingTypeScript,
    ...(python === null ? {} : { Python: lastingPython.bind(null, python) }),
  }
  const clients: ConnectedClient[] = []
  for (const [language, connect] of Object.entries(languages))
    for (const era of ERAS)
      for (const asks of [true, false]) {
        const kind = { language: language as LastingClient['language'], asks }
        const answer = asks ? codeFrom(admin) : null
        const client = await connect({ url, ca, era, answer, token: await token(kind) })
        onTestFinished(() => client[Symbol.asyncDispose]())
        const name = `${language} ${era} ${asks ? 'that asks its user' : 'that asks nobody'}`
        clients.push({ client, name, asks, introduced: await introductions(client) })
      }
  return clients
}

/** The user enters the code that the administrator sees. */
const codeFrom =
  (admin: TestAdmin): UserAnswer =>
  async (question) => {
    const { confirmations } = await admin.call<{
      confirmations: readonly { readonly id: string; readonly code: string }[]
    }>('GET', '/confirmations')
    return { action: 'accept', content: { code: confirmations.find(({ id }) => question.includes(id))?.code ?? '' } }
  }

async function introductions(client: LastingClient): Promise<Readonly<Record<string, number>>> {
  const { initialize = 0, 'notifications/initialized': initialized = 0 } = await client.sent()
  return { initialize, initialized }
}

/**
 * Expects that every client still works without initializing again: it reads the home, and its user is asked before a
 * door opens.
 */
export async function expectServed(
  clients: readonly ConnectedClient[],
  hasten: <T>(work: Promise<T>) => Promise<T> = (work) => work,
): Promise<void> {
  for (const { client, name, asks, introduced } of clients) {
    const { structuredContent } = await client.call('house', { class: 'lock' })
    const locks = (structuredContent?.['devices'] ?? []) as readonly { readonly id: string }[]
    const lock = locks.find(({ id }) => id.endsWith(':front-door'))?.id
    expect(lock, name).toBeDefined()
    const opened = await hasten(client.call('control', { device: lock, op: 'open' }))
    if (asks) expect(opened, name).toMatchObject({ structuredContent: { state: { locked: false } } })
    else expect(refusalOf(opened).code, name).toBe('confirmation_required')
    expect(await introductions(client), name).toEqual(introduced)
  }
}
