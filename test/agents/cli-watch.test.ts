import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { watchAgents } from '../../src/cli/commands/agent.ts'
import { CliContext } from '../../src/cli/commands/context.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { startPairing, collectToken, DENIED, allowAgents, poll } from './device-flow.ts'

const QUOTED = `Anna's "helper" $(reboot)`

/** Output of a program, read up to an expected text. */
class Screen {
  #unread = ''
  #wake = (): void => {}

  write(text: string): void {
    this.#unread += text
    this.#wake()
  }

  /** Reads up to and including `expected`. */
  async until(expected: string): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf(expected) + expected.length
      if (end >= expected.length) {
        const read = this.#unread.slice(0, end)
        this.#unread = this.#unread.slice(end)
        return read
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

describe('hm agent watch', () => {
  test(
    'prints each request as it comes, as lines or as JSON, and says when the gateway has stopped',
    { tags: ['long'] },
    async () => {
      await using own = await TestHome.open('http', { settled: false })
      await allowAgents(own)
      const start = (...more: readonly string[]) => {
        const words = [
          '--disable-warning=ExperimentalWarning',
          join(PROJECT_ROOT, 'src/cli/main.ts'),
          'agent',
          'watch',
          ...more,
        ]
        const child = spawn(process.execPath, words, {
          env: { ...process.env, ...COMPILED, HM_DATA_DIR: own.running.dataDir },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const screen = new Screen()
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => screen.write(chunk))
        return {
          until: (expected: string) => screen.until(expected),
          exit: new Promise<number | null>((resolve) => child.once('close', resolve)),
        }
      }
      const [lines, json] = [start(), start('--json')]
      await Promise.all([lines.until('Watching; Ctrl-C ends it.\n'), json.until('{"kind":"watching"}\n')])
      const [sentence, line] = await Promise.all([
        lines.until('or deny.\n'),
        json.until('\n'),
        startPairing(own, { name: QUOTED }),
      ])
      expect(sentence).toMatch(
        /^"Anna's \\"helper\\" \$\(reboot\)" via "Claude Code" asks for access from 127\.0\.0\.1; its code is [A-Z]{4}-[A-Z]{4}\. bin\/hm agent accept [A-Z]{4}-[A-Z]{4}, or deny\.\n$/,
      )
      expect(JSON.parse(line)).toMatchObject({ kind: 'agent_request', request: { name: QUOTED } })
      const last = lines.until('The gateway has stopped.\n')
      await own.running.stop()
      await last
      expect(await Promise.all([lines.exit, json.exit])).toEqual([0, 0])
    },
  )

  test('on a terminal accepts commands, explains mistakes and continues', async () => {
    await using own = await TestHome.open('http', { settled: false })
    await allowAgents(own)
    const [input, screen] = [new PassThrough(), new Screen()]
    const until = (expected: string): Promise<string> => screen.until(expected)
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      screen.write(String(text))
      return true
    })
    try {
      const watching = watchAgents(new CliContext({ json: false, dataDir: own.running.dataDir }), {
        input,
        interactive: true,
      })
      await until('To answer, type: accept CODE')
      const [first, second] = [await startPairing(own), await startPairing(own, { name: 'Second' })]
      await until(`accept ${second.userCode}, or deny.`)
      input.write('accept\n')
      await until('Name the agent')
      input.write('open the door\n\n')
      await until("unknown command 'open'")
      input.write('accept XXXX-XXXX\n')
      await until('There is no agent request XXXX-XXXX.')
      input.write(`accept ${first.userCode} --session\n`)
      await until('for one session')
      expect(await collectToken(own, first.code)).toMatch(/^hm_session_/)
      input.write(`  deny   ${second.userCode}  \n`)
      await until('Denied "Second" via "Claude Code".')
      expect(await poll(own, second.code)).toMatchObject(DENIED)
      const last = until('The gateway has stopped.')
      await own.running.stop()
      await Promise.all([watching, last])
    } finally {
      spy.mockRestore()
    }
  })
})
