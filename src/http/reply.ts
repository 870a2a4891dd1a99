import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, bytesOf } from '../api/call.ts'

/** Answers through fastify, so that its hooks and plugins run. */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.status === 413) closing(reply)
  if (answer.status === 426) reply.header('upgrade', 'websocket').header('sec-websocket-version', '13')
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .send(answer.body ?? '')
}

/** Writes an answer past fastify: it is bytes and headers already, and fastify's own path costs time. */
export function sendRaw(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.hijack()
  const length = answer.body === null ? {} : { 'content-length': bytesOf(answer) }
  if (answer.status === 413) closing(reply)
  reply.raw.writeHead(answer.status, { ...answer.headers, ...length }).end(answer.body ?? undefined)
  return reply
}

/** The connection ends with this answer, so nothing says any more how long it is kept. */
export function closing(reply: FastifyReply): FastifyReply {
  reply.raw.removeHeader('keep-alive')
  reply.raw.setHeader('connection', 'close')
  return reply
}

/** Whom a request comes from: an IPv4 address stands there as such, also where the socket takes both kinds. */
export function peerOf({ ip }: FastifyRequest): string {
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

/** Whether a request is, as it was sent, one to the service: nothing beside it has such a path. */
export function isOfService({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith('/v1/')
}

/** Whether a request was refused by fastify because its Content-Type is none. */
export function isUnreadableType(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
}
