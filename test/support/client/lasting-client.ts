import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  Client,
  type ElicitResult,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { type Era, fetchTrusting, type ToolAnswer } from '#support/gateway/agents.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** The user's answer to a question of the server. */
export type UserAnswer = (question: string) => Promise<ElicitResult>

export interface LastingClientOptions {
  /** URL of the MCP server. */
  readonly url: string
  readonly ca: string
  readonly token: string
  readonly era: Era
  /** Null for a client that cannot ask its user. */
  readonly answer: UserAnswer | null
}

/** An official MCP client that a test uses while the gateway behind it changes. */
export interface LastingClient extends AsyncDisposable {
  readonly language: 'TypeScript' | 'Python'
  call(tool: string, args?: object): Promise<ToolAnswer>
  /** Sends later requests with another token. */
  useToken(token: string): Promise<void>
  /** Number of sent messages by method. */
  sent(): Promise<Readonly<Record<string, number>>>
}

/** @param authProvider stores the tokens in place of `token` */
export async function lastingTypeScript(
  { url, ca, token, era, answer }: LastingClientOptions,
  authProvider?: OAuthClientProvider,
): Promise<LastingClient> {
  const sent: Record<string, number> = {}
  let current = token
  const trusting = fetchTrusting(ca)
  const fetch: typeof trusting.fetch = (at, init = {}) => {
    const method = typeof init.body === 'string' && init.body.startsWith('{') ? methodOf(init.body) : null
    if (method !== null) sent[method] = (sent[method] ?? 0) + 1
    const headers = new Headers(init.headers)
    if (authProvider === undefined) headers.set('authorization', `Bearer ${current}`)
    return trusting.fetch(at, { ...init, headers })
  }
  const client = new Client(
    { name: 'lasting', version: '1' },
    {
      capabilities: answer === null ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  )
  if (answer !== null) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { fetch, ...(authProvider ? { authProvider } : {}) }),
  )
  return {
    language: 'TypeScript',
    call: async (name, args = {}) => (await client.callTool({ name, arguments: { ...args } })) as ToolAnswer,
    useToken: (next) => {
      current = next
      return Promise.resolve()
    },
    sent: () => Promise.resolve(sent),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      trusting.agent.destroy()
    },
  }
}

/** The method of a message; null for a response and for the body of another kind of request. */
function methodOf(body: string): string | null {
  const { method } = JSON.parse(body) as { readonly method?: string }
  return method ?? null
}

interface Line {
  readonly answer?: unknown
  readonly error?: string
  readonly question?: string
}

/** @param python the interpreter of an environment with the package `mcp` */
export async function lastingPython(
  python: string,
  { url, ca, token, era, answer }: LastingClientOptions,
): Promise<LastingClient> {
  const caFile = join(tempFolder(), 'ca.pem')
  writeFileSync(caFile, ca)
  const script = join(PROJECT_ROOT, 'test/mcp/python/client.py')
  const mode = era === '2026-07-28' ? era : 'legacy'
  const child = spawn(python, [script, url, caFile, token, mode, answer === null ? 'silent' : 'elicits'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = new PythonLines(child)
  const ask = async (command: object | null): Promise<unknown> => {
    if (command !== null) output.write(command)
    for (;;) {
      const line = await output.next()
      if (line.error !== undefined) throw new Error(line.error)
      if (line.question === undefined) return line.answer
      output.write((await answer?.(line.question)) ?? { action: 'cancel' })
    }
  }
  await ask(null)
  return {
    language: 'Python',
    call: async (tool, args = {}) => (await ask({ tool, arguments: args })) as ToolAnswer,
    useToken: async (next) => void (await ask({ token: next })),
    sent: async () => (await ask({ count: true })) as Record<string, number>,
    [Symbol.asyncDispose]: () => output.close(),
  }
}

/** Reads the output lines of the Python client. */
class PythonLines {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #closed: Promise<unknown>
  #stderr = ''

  constructor(child: ChildProcess) {
    this.#child = child
    this.#closed = once(child, 'close')
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8')
    })
    child.stdin?.on('error', () => {})
  }

  write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`)
  }

  /** @throws with the last output of a client that ended */
  async next(): Promise<Line> {
    const { done, value } = await this.#lines.next()
    if (done === true) throw new Error(`The Python client ended: ${this.#stderr.slice(-2_000)}`)
    return JSON.parse(value) as Line
  }

  /** The client ends its session and exits. */
  async close(): Promise<void> {
    this.#child.stdin?.end()
    await this.#closed
  }
}
