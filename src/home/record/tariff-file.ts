import { parse } from 'yaml'
import { type Result, fail, ok } from '../../lib/result.ts'

/** Reads a tariff file's text, YAML or JSON, into what `TariffBook.set` takes. The error is one sentence. */
export function readTariffFile(text: string): Result<unknown, string> {
  try {
    return ok(parse(text) as unknown)
  } catch (error) {
    return fail(`The file is neither YAML nor JSON: ${error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/:$/, '') : 'it cannot be read'}.`)
  }
}
