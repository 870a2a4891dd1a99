import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { House } from '@hm-gateway/client/src/contract.ts'
import { called, distinctName, type Named, placesOf, scenesOf, thingsOf } from './name-match.ts'
import { visible } from '../../shell/terminal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The names of the home that was asked last, for the completion of shells, which cannot wait for a start at each Tab:
 * lines of `device`, `scene` or `room`, a tab, and the name. What is only a help may fail without a word.
 */
export class NameCache {
  readonly #file: string

  /** @param env names the folder: `XDG_CACHE_HOME`, else `.cache` in the home folder. */
  constructor(env: Environment = process.env) {
    this.#file = join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'hm', 'names')
  }

  keep(house: House): void {
    const rooms = placesOf(house).filter(({ kind }) => kind === 'room')
    const lines = [
      ...linesOf('device', thingsOf(house)),
      ...linesOf('scene', scenesOf(house)),
      ...linesOf('room', rooms),
    ]
    const text = lines.map((line) => `${line}\n`).join('')
    try {
      if (text === this.#kept()) return
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      writeFileSync(this.#file, text, { mode: 0o600 })
    } catch {
      // Then there is nothing to complete names from.
    }
  }

  forget(): void {
    rmSync(this.#file, { force: true })
  }

  #kept(): string | null {
    try {
      return readFileSync(this.#file, 'utf8')
    } catch {
      return null
    }
  }
}

/**
 * Each name on a line, as it can be said, and without its room where nothing else is called so; what a shell cannot
 * have in a line of its own is told by its id.
 */
function linesOf(kind: string, all: readonly Named[]): readonly string[] {
  const nameOf = distinctName(all, ({ id }) => id)
  return all.flatMap((item) => {
    const name = nameOf(item)
    const isAlone = item.name !== name && called(item.name, all).length === 1
    const said = [name === visible(name) ? name : item.id, ...(isAlone ? [item.name] : [])]
    return said.filter((one) => one === visible(one)).map((one) => `${kind}\t${one}`)
  })
}
