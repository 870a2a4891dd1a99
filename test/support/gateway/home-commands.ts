import { expect } from 'vitest'
import type { TestHome } from './harness.ts'
import { hm } from './cli.ts'

/** Runs `hm` commands in the data folder of a home's gateway. */
export class HomeCommands {
  readonly #home: TestHome

  constructor(home: TestHome) {
    this.#home = home
  }

  /** Output of a command that must succeed. */
  async output(...words: readonly string[]): Promise<string> {
    const ended = await hm(this.#home.running.dataDir, ...words)
    expect([words.join(' '), ended.code, ended.err]).toEqual([words.join(' '), 0, ''])
    return ended.out
  }

  /** Parsed response of a command that must succeed. */
  async answer<T extends object>(...words: readonly string[]): Promise<T> {
    return JSON.parse(await this.output(...words, '--json')) as T
  }

  /** The error sentence of a command that must fail. */
  async sentence(...words: readonly string[]): Promise<string> {
    const ended = await hm(this.#home.running.dataDir, ...words)
    expect([words.join(' '), ended.code, ended.out]).toEqual([words.join(' '), 1, ''])
    expect(`${ended.err}\n`).toMatch(/^[^\n]+\n$/)
    return ended.err.trim()
  }
}
