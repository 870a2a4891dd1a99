import { createServer, type Server } from 'node:https'
import { bareTls, serveBare } from './bare-https.ts'

/**
 * What of the gateway's cost is its framework's and its libraries'. Arguments: the leaf file (certificate and key in
 * one), and `node` for node:https alone, `libraries` for the packages that the gateway loads at its start, or `framework`
 * for fastify and ws that answer each device and each message with the bytes that they are told.
 */
const [leaf = '', kind = 'node'] = process.argv.slice(2)
let body = '{}'

serveBare(await made())
process.on('message', (message: { readonly answer: string }) => {
  body = message.answer
  process.send?.({})
})

async function made(): Promise<Server> {
  if (kind === 'node') return createServer(bareTls(leaf))
  const { fastify } = await import('fastify')
  const framework = fastify({ https: bareTls(leaf), logger: false })
  const { WebSocketServer } = await import('ws')
  if (kind === 'libraries') await libraries()
  framework.get('/v1/devices/:id', (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(body),
  )
  await framework.ready()
  new WebSocketServer({ server: framework.server, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString('utf8')) as { readonly id: string }
      socket.send(`{"id":${JSON.stringify(id)},"status":200,"body":${body}}`)
    })
  })
  return framework.server
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
