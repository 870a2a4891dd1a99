import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { House } from '@hm-gateway/client/src/contract.ts'
import { exactMatches, distinctName, groupsOf, type Named, placesOf, scenesOf, thingsOf } from './name-match.ts'
import { visible } from '../../shell/terminal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Names of the last used home, for shell completion, which cannot start a process at each Tab: lines of `device`,
 * `scene`, `group` or `room`, a tab, and the name. A failure is ignored, because completion is only a help.
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
      ...linesOf('group', groupsOf(house)),
      ...linesOf('room', rooms),
    ]
    const text = lines.map((line) => `${line}\n`).join('')
    try {
      if (text === this.#stored()) return
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      writeFileSync(this.#file, text, { mode: 0o600 })
    } catch {
      // Without the file there is no completion of names.
    }
  }

  forget(): void {
    rmSync(this.#file, { force: true })
  }

  #stored(): string | null {
    try {
      return readFileSync(this.#file, 'utf8')
    } catch {
      return null
    }
  }
}

/**
 * One line for each name, without the room if the name is unique. A name that a shell cannot have on a line is replaced
 * by the id.
 */
function linesOf(kind: string, all: readonly Named[]): readonly string[] {
  const nameOf = distinctName(all, ({ id }) => id)
  return all.flatMap((item) => {
    const name = nameOf(item)
    const isAlone = item.name !== name && exactMatches(item.name, all).length === 1
    const texts = [name === visible(name) ? name : item.id, ...(isAlone ? [item.name] : [])]
    return texts.filter((one) => one === visible(one)).map((one) => `${kind}\t${one}`)
  })
}
