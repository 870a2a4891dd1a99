import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { bareTls, serveBare } from './bare-https.ts'

/**
 * What of the gateway's cost is its framework's and its libraries'. Arguments: the leaf file (certificate and key in
 * one), and `node` for node:https alone, `libraries` for the packages that the gateway loads at its start, or `framework`
 * for fastify and ws that answer each request and each message with the bytes that they are told; what is sent to be
 * done is a row of SQLite first, of which all of one turn of the loop are one commit.
 */
const [leaf = '', kind = 'node'] = process.argv.slice(2)
/** Short answers are sent sooner as text than as bytes, long ones later. */
const TEXT_MAX = 8 * 1024
let body: string | Buffer = '{}'

serveBare(await made())
process.on('message', (message: { readonly answer: string }) => {
  body = message.answer.length > TEXT_MAX ? Buffer.from(message.answer) : message.answer
  process.send?.({})
})

async function made(): Promise<Server> {
  if (kind === 'node') return createServer(bareTls(leaf))
  const { fastify } = await import('fastify')
  const framework = fastify({ https: bareTls(leaf), logger: false })
  const { WebSocketServer } = await import('ws')
  if (kind === 'libraries') await libraries()
  const answer = (reply: FastifyReply): FastifyReply =>
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  framework.get('/v1/*', (_request, reply) => answer(reply))
  if (kind === 'framework') {
    const recorded = await recorder()
    framework.post('/v1/*', async (request, reply) => {
      await recorded(JSON.stringify(request.body))
      return answer(reply)
    })
  }
  await framework.ready()
  new WebSocketServer({ server: framework.server, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString('utf8')) as { readonly id: string }
      socket.send(`{"id":${JSON.stringify(id)},"status":200,"body":${body.toString()}}`)
    })
  })
  return framework.server
}

/** Writes rows as the gateway writes its activity: without a sync of their own. */
async function recorder(): Promise<(row: string) => Promise<void>> {
  const { default: Database } = await import('better-sqlite3')
  const folder = mkdtempSync(join(tmpdir(), 'hm-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const db = new Database(join(folder, 'rows.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, row TEXT NOT NULL)')
  const insert = db.prepare<[string]>('INSERT INTO rows (row) VALUES (?)')
  const commit = db.transaction((rows: readonly string[]) => {
    for (const row of rows) insert.run(row)
  })
  let waiting: string[] = []
  let committed: Promise<void> | null = null
  return (row) => {
    waiting.push(row)
    return (committed ??= new Promise((resolve) => {
      setImmediate(() => {
        committed = null
        commit(waiting)
        waiting = []
        resolve()
      })
    }))
  }
}

/** A database in memory and a schema are made: what is only loaded keeps less than what is used. */
async function libraries(): Promise<void> {
  const { default: Database } = await import('better-sqlite3')
  new Database(':memory:').exec('CREATE TABLE numbers (number INTEGER)')
  const { z } = await import('zod')
  z.object({ number: z.number() }).parse({ number: 1 })
  const { pino } = await import('pino')
  pino({ level: 'silent' })
  await import('temporal-polyfill')
}
