import { adminContract } from '../../../src/admin/contract/index.ts'
import { contract } from '../../../src/api/contract/index.ts'
import { AdminSocket } from '../../../src/cli/commands/context.ts'
import { checkAdminAnswer } from './conformance.ts'
import type { TestHome } from './harness.ts'

/** Queries for endpoints that need more than their declaration says. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'devices.readings': { kind: 'temperature' },
}

const pathsOf = (path: string, ids: ReadonlySet<string>): readonly string[] =>
  path.includes('{id}') ? [...ids].map((id) => path.replace('{id}', encodeURIComponent(id))) : [path]

/** Chooses the ids to read: the ids of one device, and ids with an unusual form. */
const isAsked = (id: string): boolean =>
  id.endsWith('study-light') || id.includes('-mended-') || !/^[a-z0-9:-]+$/.test(id)

/**
 * Reads everything readable of the service and the administrators' API. Returns the failures: 500 responses and
 * mismatches with the documents.
 */
export async function failingReads(home: TestHome): Promise<readonly string[]> {
  const failures: string[] = []
  const tried = async (what: string, read: () => Promise<{ readonly status: number; readonly body: unknown }>) => {
    try {
      const { status, body } = await read()
      if (status >= 500) failures.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`)
      return body
    } catch (error) {
      failures.push(`${what}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
      return null
    }
  }
  await readAll(contract, (path, name) =>
    tried(path, () => home.call({ method: 'GET', path, ...(QUERIES[name] ? { query: QUERIES[name] } : {}) })),
  )
  const socket = new AdminSocket(home.running.dataDir)
  await readAll(adminContract, (path) =>
    tried(path, async () => {
      const answer = await socket.exchange('GET', path)
      checkAdminAnswer('GET', path, answer.status, answer.body)
      return answer
    }),
  )
  return failures
}

/** Lists first: they contain the ids. */
async function readAll(
  declared: Readonly<Record<string, { readonly method: string; readonly path: string }>>,
  read: (path: string, name: string) => Promise<unknown>,
): Promise<void> {
  const reads = Object.entries(declared).filter(([, { method }]) => method === 'GET')
  const ids = new Set<string>()
  for (const [name, { path }] of reads.filter(([, read]) => !read.path.includes('{id}')))
    for (const id of idsIn(await read(path, name)).filter(isAsked)) ids.add(id)
  for (const [name, { path }] of reads.filter(([, read]) => read.path.includes('{id}')))
    for (const filledPath of pathsOf(path, ids)) await read(filledPath, name)
}

function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) =>
    typeof field === 'string' ? (key === 'id' ? [field] : []) : idsIn(field),
  )
}
