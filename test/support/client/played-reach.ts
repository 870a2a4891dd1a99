import { expect } from 'vitest'
import { ConnectionError, TrustError } from '../../../client/src/error.ts'
import { firstOf } from '../../../client/src/first-of.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { CaseStep } from './played-end.ts'

interface Try {
  readonly answer: () => void
  readonly fail: (error: Error) => void
  readonly signal: AbortSignal
}

/** The addresses at which a client looks for a gateway, played step by step from a case, with their clock. */
export class PlayedReach {
  readonly #clock = new ManualClock()
  readonly #tries = new Map<string, Try>()
  readonly #errors = new Map<string, Error>()
  #fresh: string[] = []
  #reached: unknown = null

  constructor(addresses: readonly string[]) {
    const attempt = (address: string, signal: AbortSignal): Promise<string> => {
      this.#fresh.push(address)
      return new Promise((resolve, fail) => this.#tries.set(address, { answer: () => resolve(address), fail, signal }))
    }
    const timing = { after: (ms: number, run: () => void) => this.#clock.after(ms, run), random: () => 0.5 }
    void firstOf(addresses, attempt, { timing, signal: undefined }).then(
      (address) => (this.#reached = address),
      (error: unknown) => (this.#reached = error),
    )
  }

  /** Plays all steps. @throws with the step that failed */
  async play(steps: readonly CaseStep[]): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const [[kind, value] = ['', null]] = Object.entries(step)
      await this.#clock.advanceAsync(kind === 'passes' ? (value as number) : 0)
      const where = `step ${index + 1}, ${JSON.stringify(step)}`
      if (kind === 'answers') this.#tries.get(value as string)!.answer()
      else if (kind === 'fails' || kind === 'distrusts') this.#fail(value as string, kind)
      else if (kind === 'tries') expect(this.#fresh.splice(0), where).toEqual(value)
      else if (kind === 'gaveUp') expect(this.#givenUp(), where).toEqual(value)
      else if (kind === 'is') expect(this.#reached, where).toBe(value)
      else if (kind === 'failed') expect(this.#reached, where).toBe(this.#errors.get(value as string))
      else expect(kind, where).toBe('passes')
    }
  }

  #fail(address: string, kind: 'fails' | 'distrusts'): void {
    const error = kind === 'fails' ? new ConnectionError('Silent.', { isSent: false }) : new TrustError('AA', 'BB')
    this.#errors.set(address, error)
    this.#tries.get(address)!.fail(error)
  }

  /** Aborted attempts that neither answered nor failed. */
  #givenUp(): string[] {
    const others = [...this.#tries].filter(([address]) => address !== this.#reached && !this.#errors.has(address))
    return others.filter(([, { signal }]) => signal.aborted).map(([address]) => address)
  }
}
