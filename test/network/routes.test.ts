import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BACKUP_FILE_PATH } from '../../src/admin/contract/backups.ts'
import { adminContract } from '../../src/admin/contract/index.ts'
import { contract } from '../../src/api/contract/index.ts'
import { refusedCalls } from '../../src/api/contract/refused.ts'
import { MCP_METHODS } from '../../src/api/call.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

/** Requests that the hook of a plugin saw. */
const seen: string[] = []
let printed: () => string
let running: TestGateway

beforeAll(async () => {
  running = await TestGateway.open({
    ...ONE_UNIT,
    settled: false,
    plugins: (server) => {
      printed = () => server.printRoutes({ commonPrefix: false })
      server.addHook('onRequest', (request, _reply, done) => {
        seen.push(`${request.method} ${request.originalUrl}`)
        done()
      })
      server.addHook('onSend', async (_request, reply) => {
        reply.header('x-plugin', 'yes')
      })
    },
  })
})
afterAll(() => running[Symbol.asyncDispose]())

it('printRoutes lists every endpoint of service, agents, administrators, console and documents', () => {
  const listed = listedIn(printed())
  const declared = [...Object.values(contract), ...refusedCalls, ...Object.values(adminContract)]
  const outsideContracts = [
    '/openapi.json',
    '/asyncapi.json',
    '/ca.pem',
    '/v1/stream',
    '/admin/v1/stream',
    BACKUP_FILE_PATH,
  ]
  const pages = ['/', '/console/', '/console/*', '/console/about', '/console/ended']
  const expected = [
    ...declared.map(({ method, path }) => `${method} ${path}`),
    ...[...outsideContracts, ...pages].map((path) => `GET ${path}`),
    ...MCP_METHODS.map((method) => `${method} /mcp`),
    'POST /console/session',
    'POST /console/challenge',
  ].map((line) => line.replaceAll(/\{(\w+)\}/g, ':$1'))
  expect(expected.length).toBeGreaterThan(150)
  expect(expected.filter((line) => !listed.has(line))).toEqual([])
})

it('hooks of a plugin see every request, and every answer except to agents', async () => {
  const door = { url: running.url, ca: readFileSync(running.gateway.caFile, 'utf8') }
  const requests: readonly (readonly [method: string, path: string, host?: string])[] = [
    ['GET', '/v1/about'],
    ['GET', '/v1/house'],
    ['POST', '/v1/explain'],
    ['GET', '/v1/stream'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1//about'],
    ['PROPFIND', '/v1/house'],
    ['POST', '/mcp'],
    ['GET', '/console'],
    ['GET', '/console/'],
    ['POST', '/console/session'],
    ['GET', '/admin/v1/status'],
    ['LOCK', '/admin/v1/nothing'],
    ['GET', '/openapi.json'],
    ['GET', '/'],
    ['GET', '/v1/about', 'evil.example'],
  ]
  for (const [method, path, host = 'localhost'] of requests) {
    const { headers } = await rawRequest(door, { method, path, headers: { host } })
    expect([path, seen.splice(0), headers?.['x-plugin']]).toEqual([
      path,
      [`${method} ${path}`],
      path === '/mcp' ? undefined : 'yes',
    ])
  }
})

/** The routes in a printed tree, as `METHOD path`. */
function listedIn(tree: string): ReadonlySet<string> {
  const branch: string[] = []
  return new Set(
    tree.split('\n').flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, -]+)\))?$/.exec(line) ?? []
      branch.splice(indent.length / 4, Infinity, part)
      return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${branch.join('')}`)
    }),
  )
}
