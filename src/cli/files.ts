import { readFileSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../lib/file-reasons.ts'
import { CliError } from './cli-error.ts'

/** The text of a file that the user named; throws a CliError where it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}

/** Writes a file that must not be there yet; throws a CliError where that cannot be. */
export function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}
