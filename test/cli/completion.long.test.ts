// @module-tag long
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { clientProgram } from '../../src/cli/client/program.ts'
import { completion } from '../../src/cli/client/commands/completion.ts'
import { ClientUser } from '#support/gateway/client-user.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Names that a shell would expand or split without quoting. */
const NAMES = [
  'plain lamp',
  '$(touch ran)',
  '`touch ran`',
  "'single' quotes",
  '"double" quotes',
  "it's $HOME",
  '; touch ran',
  '| touch ran &',
  '> ran',
  '!! and !1',
  '* ? [a-z] {a,b}',
  'back\\slash \\$x',
  '# no comment',
  'Küche, 灯 and 🙂',
  'tilde ~ =ls %1',
] as const

/** Interactive start of each shell, with its completion and a command that prints its last argument. */
const SHELLS = {
  bash: {
    files: (script: string) => ({
      hm: script,
      rc: "PS1='READY>'; bind 'set enable-bracketed-paste off'; hm() { local last; for last; do :; done; printf '<<%s>>' \"$last\"; }; source ./hm",
    }),
    command: 'bash --noprofile --rcfile ./rc -i',
  },
  zsh: {
    files: (script: string) => ({
      _hm: script,
      '.zshrc':
        "PS1='READY>'; unsetopt zle_bracketed_paste PROMPT_SP; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; hm() { printf '<<%s>>' \"$@[-1]\" }",
    }),
    command: 'ZDOTDIR=. zsh -d -i',
  },
  fish: {
    files: (script: string) => ({
      'hm.fish': script,
      'rc.fish':
        "function fish_prompt; echo -n 'READY>'; end; function hm; printf '<<%s>>' $argv[-1]; end; source ./hm.fish",
    }),
    command: 'fish --no-config --init-command "source ./rc.fish"',
  },
} as const

/** A shell at its own terminal, with typed input. */
class TypedShell implements AsyncDisposable {
  readonly #child
  readonly #ended: Promise<unknown>
  #output = ''

  constructor(command: string, cwd: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'dumb', LC_ALL: 'C.UTF-8', ...env },
    })
    this.#ended = once(this.#child, 'close')
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
  }

  /** Waits for a match, and drops the output up to its end. */
  async #until(what: RegExp): Promise<string> {
    for (;;) {
      const found = what.exec(this.#output)
      if (found) {
        this.#output = this.#output.slice(found.index + found[0].length)
        return found[1] ?? ''
      }
      const [ended] = (await Promise.race([once(this.#child.stdout, 'data'), this.#ended.then(() => [null])])) as [
        unknown,
      ]
      if (ended === null) throw new Error(`The shell ended: ${this.#output}`)
    }
  }

  /** Types the beginning of a command, Tab and Enter; returns the last argument of the command. */
  async argument(typed: string): Promise<string> {
    await this.#until(/READY>/)
    this.#child.stdin.write(`${typed}\t\r`)
    return this.#until(/<<([^]*?)>>/)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

describe('at a Tab', () => {
  const missing: string[] = []
  afterAll(() => {
    if (missing.length > 0) console.log(`Completion is not tried in ${missing.join(' and ')}: not on this machine.`)
  })

  for (const [name, { files, command }] of Object.entries(SHELLS)) {
    if (!has(name) || !has('script')) {
      missing.push(name)
      continue
    }
    proves(
      'hm.completion',
      `${name} completes any name so that the command receives it, and never runs it`,
      async () => {
        const folder = tempFolder()
        for (const [file, text] of Object.entries(files(scriptOf(name)))) writeFileSync(join(folder, file), text)
        await using shell = new TypedShell(command, folder, named().env)
        for (const [at, name] of NAMES.entries()) {
          const letter = String.fromCodePoint(0x61 + at)
          // Case is irrelevant.
          expect(await shell.argument(`hm on x${letter}`)).toBe(`X${letter} ${name}`)
        }
        expect(await shell.argument('hm run xa')).toBe('Xa evening')
        expect(await shell.argument('hm devices --room xa')).toBe('Xa hall')
        expect(await shell.argument('hm devices --class light_d')).toBe('light_dimmer')
        expect(await shell.argument('hm activity -f --device xa')).toBe('Xa plain lamp')
        expect(await shell.argument('hm energy --by fl')).toBe('floor')
        expect(await shell.argument('hm energy --by room --period mo')).toBe('month')
        expect(await shell.argument('hm completion zs')).toBe('zsh')
        expect(existsSync(join(folder, 'ran'))).toBe(false)
      },
    )
  }
})

/** A user with these names in the home. */
function named(): ClientUser {
  const user = new ClientUser(tempFolder())
  const cache = join(user.env['XDG_CACHE_HOME'] ?? '', 'hm')
  mkdirSync(cache, { recursive: true })
  const lines = NAMES.map((name, at) => `device\tX${String.fromCodePoint(0x61 + at)} ${name}\n`)
  writeFileSync(join(cache, 'names'), `${lines.join('')}scene\tXa evening\nroom\tXa hall\n`)
  return user
}

/** The script of a shell, as `hm completion` prints it. */
function scriptOf(shell: string): string {
  const lines: string[] = []
  const { write } = process.stdout
  process.stdout.write = (text) => lines.push(String(text)) > 0
  try {
    completion(shell, clientProgram())
  } finally {
    process.stdout.write = write
  }
  return lines.join('')
}
