import { expect, test } from 'vitest'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { fetched } from './fetch.ts'

const says = (text: string): string[] => ['-c', 'echo "$0" >&2; exit 1', text]

test('a program that is missing, and a registry that nobody reaches, are not here', { tags: ['long'] }, () => {
  expect(() => fetched('hm-no-such-program', [])).toThrow(MissingPrerequisite)
  for (const output of [
    'error: Failed to fetch: `https://registry/simple/homeassistant/`: dns error: failed to lookup address information',
    'NewConnectionError: Failed to establish a new connection: [Errno 111] Connection refused',
    'E: Failed to fetch http://mirror/dists/testing/InRelease  Could not connect to mirror:80, connection timed out',
    "W: Failed to fetch http://mirror/dists/testing/InRelease  Temporary failure resolving 'mirror'",
    "E: The repository 'http://mirror/debian testing Release' does not have a Release file.",
    'E: Failed to fetch http://mirror/pool/p.deb  502  Bad Gateway [IP: 10.0.0.1 80]',
    'E: Failed to fetch http://mirror/dists/testing/Packages.xz  Hash Sum mismatch',
    "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden'))",
    '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate',
    'error: HTTP status client error (429 Too Many Requests) for url (https://registry/simple/uv/)',
    "Max retries exceeded with url: /simple/uv/ (Caused by ResponseError('too many 503 error responses'))",
    'error: HTTP status server error (503 Service Unavailable) for url (https://registry/simple/uv/)',
  ])
    expect(() => fetched('sh', says(output)), output).toThrow(MissingPrerequisite)
})

test('any other error is a failure, with its output', () => {
  for (const output of [
    'error: No solution found when resolving dependencies',
    'E: Unable to locate package python3.99-minimal',
    'error: HTTP status client error (404 Not Found) for url (https://registry/simple/uv/)',
    'No space left on device (os error 28)',
  ]) {
    const failing = (): string => fetched('sh', says(output))
    expect(failing).toThrow(output)
    expect(failing).not.toThrow(MissingPrerequisite)
  }
})
