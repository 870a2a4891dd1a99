import { expect, test } from 'vitest'
import { isProved } from './credentials.ts'

test.each([
  ['the document’s own host', 'https://claude.example/client.json', 'claude.example', true],
  ['this computer', 'https://claude.example/client.json', 'localhost', false],
  ['this computer by its address', 'https://claude.example/client.json', '127.0.0.1', false],
  ['another host', 'https://claude.example/client.json', 'evil.example', false],
  ['a host below', 'https://claude.example/client.json', 'sub.claude.example', false],
  ['an app', 'https://claude.example/client.json', 'cursor:', false],
  ['the host of a client that registered', 'a-client-id', 'claude.example', false],
])('a name is proved where the answer goes to the document’s host: %s', (_name, client, redirectHost, proved) => {
  expect(isProved({ client, redirectHost })).toBe(proved)
})
