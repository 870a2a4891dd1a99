import { createServer } from 'node:https'
import websocket from '@fastify/websocket'
import Database from 'better-sqlite3'
import fastify from 'fastify'
import { pino } from 'pino'
import { z } from 'zod'

/**
 * The libraries that every start of the gateway loads, with an empty database, a schema, a route and a listening server:
 * a start and its memory cost at least this. Prints its banner like the gateway.
 */
const database = new Database(':memory:')
database.exec('CREATE TABLE rows (at INTEGER)')
const log = pino({ level: 'error' })
const body = z.strictObject({ op: z.string() })
const server = fastify({ serverFactory: (handler) => createServer({}, handler), loggerInstance: log })
await server.register(websocket)
server.post('/', (request) => body.safeParse(request.body).success)
await server.listen({ port: Number(process.env['HM_PORT']), host: '127.0.0.1' })
process.stdout.write('listening\n')
process.once('SIGTERM', () => process.exit(0))
