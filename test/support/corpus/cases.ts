import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'

/** One connection: the bytes of a client, with `{{names}}` that the player replaces. */
export interface CorpusCase {
  readonly name: string
  /** Written one after the other. */
  readonly pieces: readonly string[]
  /** `half`: the client ends its side after the last piece. */
  readonly end: 'close' | 'half'
  /** The body contains live values (certificates, metrics): compare only status and header names. */
  readonly live: boolean
}

interface RequestParts {
  readonly method?: string
  readonly path: string
  readonly host?: string | null
  readonly auth?: string | null
  readonly headers?: readonly string[]
  readonly body?: string
  /** Written separately, after the head. */
  readonly apart?: boolean
  readonly version?: string
  readonly keep?: boolean
}

/** Number of random cases after the listed ones. */
const MIXED = 300
const SEED = 'corpus 1'

/**
 * Methods outside the contract, including some that Node does not know, and some that fastify does not know or knows
 * without a body.
 */
const STRANGE_METHODS = ['PROPFIND', 'PURGE', 'QUERY', 'TRACE', 'LINK', 'MKCOL', 'REPORT', 'SEARCH', 'M-SEARCH', 'LOCK']
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', ...STRANGE_METHODS]
const AUTHS = [null, 'Bearer no', 'Basic aG06aG0=', 'Bearer {{main}}', 'Bearer {{part}}', 'bearer {{main}}'] as const
const PROGRAMS = ['Bearer {{metrics}}', 'Bearer {{backup}}'] as const
const WRONG_HOSTS = ['evil.example', 'localhost.evil.example', '', 'localhost, evil.example', '127.0.0.2', '0', '[::2]']
const OWN_HOSTS = ['localhost', 'LOCALHOST.', '127.0.0.1:1', '[::1]', 'hm-{{serial}}.local', 'hm-{{serial}}']
const TYPES = ['application/json', 'text/plain', 'a', 'application/json; charset=x', 'multipart/form-data', ';;', '"']
const BODIES = ['{}', '{"corpus":1}', '{', 'null', '[]', '""', '', '{"a":{"b":[1,2,{"c":null}]}}']
const SESSION = ['Cookie: __Host-hm-{{serial}}={{cookie}}', 'X-Hm-Session: {{half}}']
const OWN_ORIGIN = 'Origin: https://localhost'
const UPGRADE = [
  'Connection: Upgrade, close',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
]
/** Calls without body and id that change the whole gateway. */
const NOT_WITH_SESSION =
  /\/(?:tls\/renew|tls\/regenerate-ca|backups\/phrase|backups|backup|relay\/link|relay\/unlink|relay|events)$/
const LIVE =
  /ca\.pem|trust\/|console\/(?:about|challenge|session)|\/(?:status|metrics|log|about|session|sessions|tls|backups|options|challenge|failed-authentications|house\/file|activity)\b/

/** Path and local id of a device that the integration `main` sees, for each kind of path. */
const THINGS: readonly (readonly [start: string, local: string])[] = [
  ['/v1/devices/', 'hall-light'],
  ['/v1/rooms/', 'room:hall'],
  ['/v1/floors/', 'floor:ground-floor'],
  ['/v1/scenes/', 'scene:evening'],
  ['/v1/sensors/', 'landing-sensor'],
]

/** The corpus: equal in each run, because its paths come from the documents. */
export function corpus(): readonly CorpusCase[] {
  const random = new SeededRandom(SEED)
  const service = operationsOf('openapi.json')
  const admin = operationsOf('admin.json')
  const cases = [
    ...service.flatMap(serviceCases),
    ...admin.flatMap(adminCases),
    ...besideCases(),
    ...pathCases(),
    ...hostCases(),
    ...byteCases(),
  ]
  const paths = [...service, ...admin].map(({ path }) => example(path))
  return [...cases, ...Array.from({ length: MIXED }, (_, index) => mixedCase(random, paths, index))].map(withLive)
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
}

function operationsOf(file: string): readonly Operation[] {
  const text = readFileSync(join(import.meta.dirname, '../../../openapi', file), 'utf8')
  const { paths } = JSON.parse(text) as { paths: Readonly<Record<string, Readonly<Record<string, object>>>> }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      takesBody: 'requestBody' in operation,
    })),
  )
}

/** A path with existing ids. */
function example(path: string): string {
  const local = THINGS.find(([start]) => path.startsWith(start))?.[1]
  const own = local === undefined ? 'never-was' : `{{id}}${local}`
  return path.replaceAll('{id}', own).replaceAll('{intent}', 'night_light').replaceAll('{name}', 'never-was.hmbackup')
}

function serviceCases({ method, path, takesBody }: Operation): readonly CorpusCase[] {
  const own = example(path)
  const isWrite = method !== 'GET'
  // All bodies are wrong: other tests cover success.
  const content = takesBody ? { body: '{"corpus":1}' } : {}
  const acts = isWrite && !takesBody && /\/(?:run|stop|try|identify)$/.test(path)
  const name = `${method} ${path}`
  return [
    ...AUTHS.filter((auth) => !(acts && auth?.includes('{{'))).map((auth) =>
      one(`${name} ${auth ?? 'nobody'}`, { method, path: own, auth, ...content }),
    ),
    one(`${name} hidden`, { method, path: own.replace(/hall-light|:hall|evening/, 'front-door'), auth: AUTHS[4] }),
    one(`${name} invented`, { method, path: own.replace('{{id}}', '{{id}}never-'), auth: AUTHS[3], ...content }),
    one(`${name} query`, { method, path: `${own}?corpus=1&corpus=2`, auth: AUTHS[3], ...content }),
    one(`${name} unwanted body`, { method, path: own, auth: AUTHS[3], body: '{"corpus":1' }),
    one(`${name} as text`, { method, path: own, auth: AUTHS[3], body: 'x', headers: ['Content-Type: text/plain'] }),
    one(`${name} large`, { method, path: own, auth: AUTHS[3], headers: ['Content-Length: 9000000'] }),
    one(`${name} half`, { method, path: own, auth: null, ...content }, 'half'),
    ...['HEAD', 'OPTIONS', 'PROPFIND'].map((method) =>
      one(`${method} at ${name}`, { method: method, path: own, auth: AUTHS[3] }),
    ),
  ]
}

function adminCases({ method, path, takesBody }: Operation): readonly CorpusCase[] {
  const own = example(path)
  const name = `${method} ${path}`
  const content = takesBody ? { body: '{"corpus":1}' } : {}
  const asSession = NOT_WITH_SESSION.test(path) && method !== 'GET' ? [] : [SESSION]
  return [
    ...[null, AUTHS[3], ...PROGRAMS].map((auth) =>
      one(`${name} ${auth ?? 'nobody'}`, { method, path: own, auth, ...content }),
    ),
    ...asSession.map((headers) =>
      one(`${name} session`, { method, path: own, headers: [...headers, OWN_ORIGIN], ...content }),
    ),
    one(`${name} session elsewhere`, {
      method,
      path: own,
      headers: [...SESSION, 'Origin: https://localhost:1'],
      ...content,
    }),
    one(`${name} half a session`, { method, path: own, headers: [SESSION[0] ?? '', OWN_ORIGIN], ...content }),
    one(`HEAD at ${name}`, { method: 'HEAD', path: own, headers: SESSION }),
    one(`LOCK at ${name}`, { method: 'LOCK', path: own, headers: [...SESSION, OWN_ORIGIN] }),
  ]
}

/** Everything outside the contracts: pages, their entry, agents, documents, streams. */
function besideCases(): readonly CorpusCase[] {
  const html = 'Accept: text/html'
  const gzip = 'Accept-Encoding: gzip'
  const pages = ['/', '/console', '/console/', '/console/home', '/console/nothing', '/console/assets/x.js']
  const entry = ['/console/session', '/console/challenge', '/console/about', '/console/ended']
  const trust = ['/console/trust/ca.pem', '/console/trust/ca.crt', '/console/trust/hm.mobileconfig', '/console/trust/x']
  const hidden = ['/admin', '/admin/', '/admin/v1', '/admin/v1/', '/admin/v1/nothing', '/admin/home', '/admin/home/v1']
  const home = ['/admin/home/v1/house', '/admin/home/v1/about', '/admin/home/v1/nothing', '/admin/v1/stream']
  const documents = ['/openapi.json', '/asyncapi.json', '/ca.pem', '/.well-known/x', '/token', '/token/', '/register']
  const streams = ['/v1/stream', '/v1/stream?token=no', '/v1/stream?token={{main}}', '/v1/stream?token=a&token=b']
  const agents = ['/mcp', '/mcp/', '/mcp/x', '/mcp?x=1']
  const paths = [...pages, ...entry, ...trust, ...hidden, ...home, ...documents, ...streams, ...agents]
  return paths.flatMap((path) => [
    ...['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PROPFIND', 'QUERY'].map((method) =>
      one(`${method} ${path}`, { method, path }),
    ),
    one(`page ${path}`, { path, headers: [html, gzip] }),
    one(`key ${path}`, { path: path.startsWith('/mcp') ? `${path}#` : path, auth: AUTHS[3] }),
    one(`session ${path}`, { path, headers: SESSION }),
    one(`session POST ${path}`, { method: 'POST', path, headers: [...SESSION, OWN_ORIGIN], body: '{"corpus":1}' }),
    one(`foreign page ${path}`, { method: 'POST', path, headers: ['Sec-Fetch-Site: cross-site'], body: '{}' }),
    one(`bad type ${path}`, { method: 'POST', path, headers: ['Content-Type: ;;'], body: 'x' }),
    one(`upgrade ${path}`, { path, headers: UPGRADE, keep: true }),
    one(`upgrade with key ${path}`, { path, headers: UPGRADE, keep: true, auth: AUTHS[3] }),
    one(`upgrade of a session ${path}`, {
      path,
      headers: [...UPGRADE, 'Sec-WebSocket-Protocol: hm-session.{{half}}', OWN_ORIGIN, SESSION[0] ?? ''],
      keep: true,
    }),
    one(`half ${path}`, { path }, 'half'),
  ])
}

/** Spellings of a path, under each prefix. */
function pathCases(): readonly CorpusCase[] {
  const written = ['', '/', '//', '/%', '/%zz', '/%2f', '/..', '/./x', '/x;y', '/x#y', '/%00', '/*', '/:id', '/x//y']
  const prefixes = ['/v1', '/v1/devices', '/console', '/admin', '/admin/v1', '/admin/home', '/mcp', '/openapi.json', '']
  const auths = [null, 'Bearer {{main}}'] as const
  return prefixes.flatMap((prefix) =>
    written
      .filter((rest) => prefix + rest !== '' && prefix !== '/mcp')
      .flatMap((rest) => [
        ...auths.map((auth) => one(`path ${prefix}${rest} ${auth ?? ''}`, { path: prefix + rest, auth })),
        one(`path ${prefix}${rest} session`, { path: prefix + rest, headers: SESSION }),
      ]),
  )
}

function hostCases(): readonly CorpusCase[] {
  const paths = ['/v1/about', '/v1/house', '/console/', '/admin/v1/status', '/mcp', '/openapi.json', '/nothing']
  return paths.flatMap((path) => [
    ...[...WRONG_HOSTS, ...OWN_HOSTS, null].map((host) => one(`host ${host} ${path}`, { path, host })),
    ...WRONG_HOSTS.map((host) => one(`POST host ${host} ${path}`, { method: 'POST', path, host, body: '{}' })),
    ...['https://evil.example', 'null', 'https://localhost:9', 'http://localhost'].map((origin) =>
      one(`origin ${origin} ${path}`, { path, headers: [`Origin: ${origin}`] }),
    ),
    ...['https://localhost', 'https://evil.example', 'http://localhost', 'ftp://localhost', 'https://'].map((origin) =>
      one(`absolute ${origin}${path}`, { path: `${origin}${path}`, host: 'evil.example' }),
    ),
    one(`two hosts ${path}`, { path, headers: ['Host: evil.example'] }),
    one(`HTTP/1.0 ${path}`, { path, version: '1.0' }),
    one(`HTTP/1.0 without host ${path}`, { path, version: '1.0', host: null }),
    one(`expect ${path}`, { method: 'POST', path, headers: ['Expect: x'], body: '{}' }),
    one(`continue ${path}`, { method: 'POST', path, headers: ['Expect: 100-continue'], body: '{}' }),
    one(`body apart ${path}`, { method: 'POST', path, body: '{"corpus":1}', apart: true, auth: AUTHS[3] }),
    one(`kept open ${path}`, { path, keep: true }, 'half'),
  ])
}

/** Bytes that are not a request, and several requests at once. */
function byteCases(): readonly CorpusCase[] {
  const raw = (name: string, ...pieces: string[]): CorpusCase => ({ name, pieces, end: 'close', live: false })
  const head = 'Host: localhost\r\nConnection: close\r\n'
  const chunked = `POST /v1/explain HTTP/1.1\r\n${head}Authorization: Bearer {{main}}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  return [
    raw('no HTTP', 'hello\r\n\r\n'),
    raw('no version', 'GET /v1/about\r\n\r\n'),
    raw('HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    raw('an unknown method', `FETCH /v1/about HTTP/1.1\r\n${head}\r\n`),
    raw('a lower-case method', `get /v1/about HTTP/1.1\r\n${head}\r\n`),
    raw('asterisk', `OPTIONS * HTTP/1.1\r\n${head}\r\n`),
    raw('authority', `CONNECT localhost:443 HTTP/1.1\r\n${head}\r\n`),
    raw('no slash', `GET v1/about HTTP/1.1\r\n${head}\r\n`),
    raw('a space', `GET /v1/ about HTTP/1.1\r\n${head}\r\n`),
    raw('large headers', `GET /v1/about HTTP/1.1\r\n${head}X: ${'x'.repeat(17_000)}\r\n\r\n`),
    raw('a long path', `GET /v1/${'x'.repeat(9_000)} HTTP/1.1\r\n${head}\r\n`),
    raw('two lengths', `POST /v1/explain HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
    raw('length and chunks', `${chunked.slice(0, -2)}Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
    raw('chunks', `${chunked}2\r\n{}\r\n0\r\n\r\n`),
    raw('chunks apart', chunked, '2\r\n{}\r\n', '0\r\n\r\n'),
    raw('a wrong chunk', `${chunked}zz\r\n`),
    raw(
      'two authorizations',
      `GET /v1/house HTTP/1.1\r\n${head}Authorization: Bearer {{main}}\r\nAuthorization: x\r\n\r\n`,
    ),
    raw('a bare line feed', 'GET /v1/about HTTP/1.1\nHost: localhost\nConnection: close\n\n'),
    raw(
      'gzip',
      `POST /v1/explain HTTP/1.1\r\n${head}Authorization: Bearer {{main}}\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
    ),
  ]
}

/** One to four random requests on one connection. */
function mixedCase(random: SeededRandom, paths: readonly string[], index: number): CorpusCase {
  const pick = <T>(items: readonly T[]): T => items[random.whole(0, items.length - 1)] as T
  const count = random.whole(1, 4)
  const requests = Array.from({ length: count }, (_, at) => {
    const path = pick([...paths, '/console/', '/v1/about', '/v1/house', '/v1/nothing', '/openapi.json', '/mcp/x'])
    const isQuiet = random.chance(0.5) || /^\/(?:admin|console|v1\/pair)/.test(path)
    const method = isQuiet
      ? pick(['GET', 'GET', 'HEAD', 'OPTIONS'])
      : pick(METHODS.filter((method) => method !== 'DELETE'))
    const takesBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
    return {
      method,
      path: random.chance(0.1) ? `${path}?x=${index}` : path,
      host: random.chance(0.08) ? pick(WRONG_HOSTS) : pick(OWN_HOSTS),
      auth: pick(isQuiet ? AUTHS : AUTHS.slice(0, 3)),
      headers: takesBody ? [`Content-Type: ${pick(TYPES)}`] : [],
      ...(takesBody ? { body: pick(BODIES) } : {}),
      keep: at + 1 < count,
    }
  })
  const texts = requests.map((request) => requestText(request).join(''))
  return {
    name: `mixed ${index}: ${requests.map(({ method, path }) => `${method} ${path}`).join(', ')}`,
    pieces: random.chance(0.5) ? [texts.join('')] : texts,
    end: random.chance(0.15) ? 'half' : 'close',
    live: false,
  }
}

function one(name: string, request: RequestParts, end: CorpusCase['end'] = 'close'): CorpusCase {
  return { name, pieces: requestText(request), end, live: false }
}

function requestText(parts: RequestParts): readonly string[] {
  const { method = 'GET', path, host = 'localhost', auth = null, headers = [], body, version = '1.1' } = parts
  const isTyped = headers.some((line) => line.startsWith('Content-Type:'))
  const lines = [
    `${method} ${path} HTTP/${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(auth === null ? [] : [`Authorization: ${auth}`]),
    ...headers,
    ...(body === undefined || isTyped ? [] : ['Content-Type: application/json']),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...(parts.keep === true ? [] : ['Connection: close']),
  ]
  const head = `${lines.join('\r\n')}\r\n\r\n`
  return parts.apart === true ? [head, body ?? ''] : [head + (body ?? '')]
}

function withLive(made: CorpusCase): CorpusCase {
  return { ...made, live: LIVE.test(made.pieces.join('')) }
}
