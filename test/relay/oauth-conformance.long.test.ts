// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { olgasRelay } from '#support/relay/test-web.ts'
import { tempFolder } from '#support/temp-folder.ts'

const SUITE = join(PROJECT_ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

interface Check {
  readonly id: string
  readonly status: string
}

describe('the official suite for authorization servers', () => {
  test('passes, with a person who signs in and an administrator who accepts', async () => {
    const { origin, ca, fetch, homes, olga } = await olgasRelay({ metadataDocuments: true })
    const port = await freePort()
    const redirect = `http://127.0.0.1:${port}/callback`
    const agent = await OAuthAgent.register(origin, fetch, { redirect_uris: [redirect] })
    const found = tempFolder()
    const caFile = join(found, 'ca.pem')
    writeFileSync(caFile, ca)
    const { client_id: clientId } = agent.client
    const out = join(found, 'out')
    const options = [
      '--client-id',
      clientId,
      '--resource',
      `${origin}/mcp`,
      '--port',
      String(port),
      '--output-dir',
      out,
    ]
    const child = spawn(process.execPath, [SUITE, 'authorization', '--url', origin, ...options], {
      env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: caFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const url = /https:\/\/\S+\/authorize\?\S+/.exec(line)?.[0]
        if (url !== undefined) void signIn(url)
      })
    const signIn = async (url: string): Promise<void> => {
      const page = await askInBrowser(olga, new URL(url))
      homes.decide('accepted')
      await olga.wait(page)
      await globalThis.fetch(olga.left!)
    }
    await once(child, 'exit')
    const checks = readdirSync(out).flatMap(
      (folder) => JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8')) as Check[],
    )
    expect(
      checks.filter(({ status }) => status === 'FAILURE'),
      lines.join('\n'),
    ).toEqual([])
    expect(checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id)).toEqual([
      'authorization-code-grant',
      'authorization-server-metadata',
      'authorization-server-metadata-cimd',
    ])
  })
})
