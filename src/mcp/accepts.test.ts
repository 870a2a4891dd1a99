import { expect, test } from 'vitest'
import { acceptsOf } from './revisions.ts'

const read = (accept: string | null): string => {
  const { json, events } = acceptsOf(new Headers(accept === null ? {} : { accept }))
  return [json ? 'json' : '', events ? 'events' : ''].join(' ').trim()
}

test('no header, an empty one and the widest range accept both kinds of answers', () => {
  for (const accept of [null, '', ' ', ',', '*/*', 'text/html, */*;q=0.1', 'application/json, text/event-stream'])
    expect(read(accept), String(accept)).toBe('json events')
})

test('the most specific range decides, and q=0 excludes', () => {
  const table = [
    ['application/json', 'json'],
    ['APPLICATION/JSON; charset=utf-8', 'json'],
    ['application/*', 'json'],
    ['text/event-stream', 'events'],
    ['text/*;q=0.3', 'events'],
    ['*/*, text/event-stream;q=0', 'json'],
    ['*/*;q=0.5, application/json; q=0.000', 'events'],
    ['application/json;q=0, application/*', ''],
    ['*/*;q=0', ''],
    ['*/*;q=0, application/json', 'json'],
    ['text/html', ''],
    ['application/jsonp, text/event-streams', ''],
    ['application/json;q=0, application/json;charset=utf-8', 'json'],
    [';q=1, ,text/event-stream', 'events'],
    ['application/json;x="a,b";q=0,text/event-stream', 'events'],
    ['application/json;x="a;q=0",text/event-stream;q="0"', 'json'],
    ['application/json;x="a\\",text/event-stream;q=0"', 'json'],
    ['application/json;x="open, text/event-stream', 'json'],
    ['text/plain;x="application/json, */*"', ''],
  ] as const
  for (const [accept, kinds] of table) expect(read(accept), accept).toBe(kinds)
})
