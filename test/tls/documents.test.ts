// @module-tag repeated
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { openTls } from '../../src/tls/tls.ts'
import { LONG } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
const page = readFileSync(join(import.meta.dirname, '../../docs/tls.md'), 'utf8')

/** The first example in a language, ready to copy. */
function example(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(page)?.[1]
  if (found === undefined) throw new Error(`docs/tls.md has no example in ${language}`)
  return found
}

interface Reader {
  /** Runs a command of the page with its three settings. */
  follow: (command: readonly [string, ...string[]], fingerprint?: string) => Promise<string>
  dir: string
  tokens: (string | undefined)[]
}

async function reader(): Promise<Reader> {
  const dir = tempFolder()
  const tls = await openTls({
    dir: join(dir, 'tls'),
    serial: 'ab12',
    addresses: () => [],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const tokens: (string | undefined)[] = []
  const server = createServer(tls.secureContextOptions(), (request, response) => {
    tokens.push(request.headers.authorization)
    response.end(request.url === '/ca.pem' ? tls.ca.pem : '{"house": "served"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await tls.stop()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const follow: Reader['follow'] = async ([program, ...args], fingerprint = tls.ca.fingerprint) => {
    const env = {
      ...process.env,
      GATEWAY: `https://localhost:${address.port}`,
      FINGERPRINT: fingerprint,
      TOKEN: 'hm_key_1',
      NO_PROXY: '*',
      no_proxy: '*',
    }
    return (await run(program, args, { cwd: dir, env })).stdout
  }
  writeFileSync(join(dir, 'ca.pem'), tls.ca.pem)
  return { follow, dir, tokens }
}

const WRONG = Array.from({ length: 32 }, () => 'AB').join(':')
const EXAMPLES = [
  { language: 'sh', file: 'client.sh', program: 'sh', needs: ['sh', '-c', 'curl --version && openssl version'] },
  { language: 'js', file: 'client.mjs', program: process.execPath, needs: [process.execPath, '--version'] },
  { language: 'python', file: 'client.py', program: 'python3', needs: ['python3', '-c', 'import ssl'] },
] as const

/** `npm test` runs the example that needs only Node. */
const NOW = EXAMPLES.filter(({ language }) => LONG || language === 'js')

test.for(NOW)(
  'the example in $language works as written, and stops at a wrong fingerprint before the token is sent',
  async (one, context) => {
    const {
      language,
      file,
      program,
      needs: [needed, ...args],
    } = one
    const installed = await run(needed, args).then(
      () => true,
      () => false,
    )
    if (!installed) return context.skip(`what the example in ${language} needs is not installed`)
    const { follow, dir, tokens } = await reader()
    writeFileSync(join(dir, file), example(language))
    expect(await follow([program, file])).toMatch(/\{["']house["']: ["']served["']\}/)
    expect(tokens.at(-1)).toBe('Bearer hm_key_1')
    const before = tokens.length
    await expect(follow([program, file], WRONG)).rejects.toThrow('not the CA that was expected')
    expect(tokens.slice(before).filter((token) => token !== undefined)).toEqual([])
  },
)
