/** Hand-made HTTP/2 frames (RFC 9113) that no library would send. */

const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const PUSH_PROMISE = 5
const PING = 6
const GOAWAY = 7
const WINDOW_UPDATE = 8
const CONTINUATION = 9
const ALTSVC = 10
const ORIGIN = 12
const UNKNOWN = 0xfe

const END_STREAM = 0x1
const END_HEADERS = 0x4

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream >>> 0, 5)
  return Buffer.concat([head, payload])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** HPACK length with a prefix of seven bits (RFC 7541 section 5.1). */
function sized(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  const length = [Math.min(bytes.length, 127)]
  for (let rest = bytes.length - 127; rest >= 0; rest = rest < 128 ? -1 : rest >> 7)
    length.push(rest < 128 ? rest : (rest & 127) | 128)
  return Buffer.concat([Buffer.from(length), bytes])
}

/** Header fields that do not change the HPACK table, so that the session's own frames stay readable. */
function fields(of: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(of.flatMap(([name, value]) => [Buffer.from([0]), sized(name), sized(value)]))
}

const setting = (id: number, value: number): Buffer => Buffer.concat([Buffer.from([0, id]), number(value)])

/** Invalid or misplaced frames, for an open stream if they need one. */
export const FRAMES: readonly ((stream: number) => Buffer)[] = [
  // Window overflow, frames of one byte, no table, no streams, no push, an unknown setting.
  ...[
    [4, 2 ** 31],
    [4, 0],
    [5, 1],
    [1, 0],
    [1, 2 ** 32 - 1],
    [3, 0],
    [2, 2],
    [8, 0],
    [0x4242, 7],
  ].map(
    ([id = 0, value = 0]) =>
      () =>
        frame(SETTINGS, 0, 0, setting(id, value)),
  ),
  () => frame(SETTINGS, 1, 0, setting(1, 1)),
  () => frame(SETTINGS, 0, 0, Buffer.alloc(5)),
  () => Buffer.concat(Array.from({ length: 2_000 }, () => frame(SETTINGS, 0, 0, Buffer.alloc(0)))),
  () => Buffer.concat(Array.from({ length: 2_000 }, () => frame(PING, 0, 0, Buffer.alloc(8)))),
  () => frame(PING, 1, 0, Buffer.alloc(8)),
  () => frame(PING, 0, 1, Buffer.alloc(3)),
  (stream) => frame(WINDOW_UPDATE, 0, stream, number(2 ** 31 - 1)),
  () => frame(WINDOW_UPDATE, 0, 0, number(2 ** 31 - 1)),
  () => frame(WINDOW_UPDATE, 0, 0, number(0)),
  (stream) => frame(RST_STREAM, 0, stream, number(0)),
  (stream) => frame(RST_STREAM, 0, stream, number(0xffffffff)),
  () => frame(RST_STREAM, 0, 0x7fffffff, number(8)),
  () => frame(GOAWAY, 0, 0, Buffer.concat([number(0), number(0), Buffer.alloc(1_000)])),
  () => frame(GOAWAY, 0, 0, Buffer.concat([number(2 ** 31 - 1), number(2)])),
  (stream) => frame(PUSH_PROMISE, END_HEADERS, stream, Buffer.concat([number(2), fields([[':path', '/pushed']])])),
  (stream) => frame(CONTINUATION, END_HEADERS, stream, fields([['x', 'y']])),
  (stream) => frame(HEADERS, 0, stream, fields([[':status', '200']])),
  () => frame(HEADERS, END_HEADERS, 2, fields([[':status', '200']])),
  () => frame(HEADERS, END_HEADERS, 0x7fffffff, fields([[':method', 'GET']])),
  (stream) => frame(HEADERS, END_HEADERS, stream, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
  () => frame(DATA, 0, 0, Buffer.alloc(10)),
  () => frame(DATA, END_STREAM, 0x7ffffffd, Buffer.alloc(16_384)),
  (stream) => frame(DATA, 0x8, stream, Buffer.from([255, 1, 2])),
  (stream) => frame(ALTSVC, 0, stream, Buffer.from([0, 1, 0x61, 0x62])),
  () => frame(ALTSVC, 0, 0, Buffer.from([0xff, 0xff, 0x61])),
  () => frame(ORIGIN, 0, 0, Buffer.from([0xff, 0xff, 0x61])),
  () => frame(ORIGIN, 0, 0, Buffer.concat([Buffer.from([0, 22]), Buffer.from('https://other.example')])),
  (stream) => frame(UNKNOWN, 0xff, stream, Buffer.alloc(300)),
  () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
]

const LONG = 'x'.repeat(20_000)
/** Response headers with unknown statuses and wrong, repeated or too many fields. */
const HEADS: readonly (readonly (readonly [string, string])[])[] = [
  ...['0', '99', '100', '101', '103', '204', '205', '304', '401', '426', '600', '999', '-1', '2e2', '', 'abc'].map(
    (status) => [[':status', status] as const],
  ),
  [],
  [['content-type', 'text/plain']],
  [
    [':status', '200'],
    [':status', '500'],
  ],
  [
    ['x', 'y'],
    [':status', '200'],
  ],
  [
    [':status', '200'],
    [':path', '/'],
  ],
  [
    [':status', '200'],
    ['Content-Type', 'text/plain'],
  ],
  [
    [':status', '200'],
    ['connection', 'close'],
    ['transfer-encoding', 'chunked'],
  ],
  [
    [':status', '200'],
    ['content-length', '1'],
  ],
  [
    [':status', '200'],
    ['content-length', '-1'],
  ],
  [
    [':status', '200'],
    ['content-length', '99999999999999999999'],
  ],
  [
    [':status', '200'],
    ['content-length', '5'],
    ['content-length', '6'],
  ],
  [
    [':status', '200'],
    ['content-type', 'a\r\nset-cookie: b=c'],
  ],
  [
    [':status', '200'],
    ['content-type', 'a\u0000b'],
  ],
  [
    [':status', '200'],
    ['etag', '\u00ff\u00fe\u0080'],
  ],
  [
    [':status', '302'],
    ['location', 'https://evil.example/\r\n\r\n<script>'],
  ],
  [
    [':status', '200'],
    ['retry-after', LONG],
  ],
  [[':status', '200'], ...Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'y'] as const)],
  [[':status', '200'], ...Array.from({ length: 100 }, () => ['etag', 'y'] as const)],
  [
    [':status', '200'],
    ['content-type', 'text/event-stream'],
  ],
  [
    [':status', '200'],
    ['', 'y'],
  ],
]
const BODIES: readonly string[] = [
  '',
  '{}',
  '{',
  'null',
  '[]',
  '"x"',
  '[1,',
  `{"access":"${LONG}"}`,
  '\u00ff\u0000',
  `[${'['.repeat(5_000)}`,
]

/** A response that no gateway sends, once or twice, complete or cut off. */
export function strangeAnswer(stream: number, chance: () => number): Buffer {
  const one = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)]!
  const head = frame(HEADERS, END_HEADERS | (chance() < 0.2 ? END_STREAM : 0), stream, fields(one(HEADS)))
  const body = frame(DATA, chance() < 0.7 ? END_STREAM : 0, stream, Buffer.from(one(BODIES).slice(0, 16_384), 'latin1'))
  const parts = [
    head,
    body,
    ...(chance() < 0.2 ? [head, body] : []),
    ...(chance() < 0.2 ? [frame(HEADERS, 5, stream, fields(one(HEADS)))] : []),
  ]
  return Buffer.concat(chance() < 0.1 ? parts.reverse() : parts)
}
