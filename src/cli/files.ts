import { errorCode } from '../lib/files.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { CliError } from './cli-error.ts'

/** The text of a file that the user named; throws a CliError where it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Writes a file that must not be there yet; throws a CliError where that cannot be. */
export function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${reasonOf(error)}.`)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EEXIST: 'it exists already',
  EACCES: 'this user may not',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}

function reasonOf(error: unknown): string {
  return REASONS[errorCode(error) ?? ''] ?? (error instanceof Error ? error.message : String(error))
}
