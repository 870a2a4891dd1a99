import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isThere, PRIVATE_FOLDER_MODE, replaceFile } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import type { KeptEpochs } from './epochs.ts'

const NUMBER = /^\d{1,15}\n$/

/**
 * Up to which number the gateway's tunnels may have been numbered, in a file beside its key, with which it belongs. A
 * damaged file says nothing, as one that is not there yet.
 */
export class EpochsFile implements KeptEpochs {
  readonly spent: number
  readonly #file: string

  constructor(file: string, log: Log) {
    this.#file = file
    const text = isThere(file) ? readFileSync(file, 'utf8') : '0\n'
    this.spent = NUMBER.test(text) ? Number(text) : 0
    if (!NUMBER.test(text)) log.warn({ file }, 'The numbers of earlier connections to the relay are not known.')
  }

  async keep(spent: number): Promise<void> {
    mkdirSync(dirname(this.#file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    await replaceFile(this.#file, `${spent}\n`)
  }
}
