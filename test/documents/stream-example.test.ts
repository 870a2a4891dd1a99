import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'

const root = join(import.meta.dirname, '..', '..')
const example = /```js\n([\s\S]+?)```/.exec(readFileSync(join(root, 'docs/stream.md'), 'utf8'))?.[1] ?? ''

/** Lines as they come; `next` gives the first one that a test has not had yet and that fits. */
function linesOf(stream: NodeJS.ReadableStream): { next: (fits: RegExp) => Promise<string> } {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
  return {
    next: async (fits) => {
      for (let line = await lines.next(); line.done !== true; line = await lines.next())
        if (fits.test(line.value)) return line.value
      throw new Error(`the example ended before it said ${String(fits)}`)
    },
  }
}

test(
  'the client of docs/stream.md shows the state, follows the events, and stops when its key is revoked',
  { tags: ['long'] },
  async () => {
    await using home = await TestHome.open('http')
    const dir = tempFolder()
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
    writeFileSync(join(dir, 'client.mjs'), example)
    const child = spawn(process.execPath, ['client.mjs'], {
      cwd: dir,
      env: {
        ...process.env,
        HM_URL: home.running.url.replace('https', 'wss'),
        HM_TOKEN: home.main.token,
        HM_CA: home.running.gateway.caFile,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => {
      child.kill()
    })
    const ended = once(child, 'exit')
    const [output, complained] = [linesOf(child.stdout), linesOf(child.stderr)]
    const { live, house } = home.running.gateway.home
    const lamp = [...house.devices.values()].find((device) => device.class === 'light_dimmer')!
    const device = home.id(lamp.key)

    expect(await output.next(/^now .*:/)).toContain(home.running.gateway.serial)
    for (const bri of [11, 22]) {
      live.confirm(lamp.key, { on: true, bri, mode: 'manual' }, 'touch', { source: 'unit', name: 'test' })
      expect(await output.next(new RegExp(`^state .*"bri":${bri},`))).toContain(device)
    }
    await home.running.admin.call('DELETE', `/keys/${home.main.link}`)
    expect(await complained.next(/./)).toContain('valid credential')
    expect(await ended).toEqual([0, null])
  },
)
