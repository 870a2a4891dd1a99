import { type Result, fail, ok } from '../../lib/result.ts'
import { parseYaml } from '../../lib/yaml.ts'

/** Reads a tariff file's text, YAML or JSON, into what `Tariffs.set` takes. The error is one sentence. */
export function readTariffFile(text: string): Result<unknown, string> {
  try {
    return ok(parseYaml(text))
  } catch (error) {
    return fail(
      `The file is neither YAML nor JSON: ${error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/:$/, '') : 'it cannot be read'}.`,
    )
  }
}
