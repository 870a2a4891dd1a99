/**
 * The value of a cell that this program wrote as JSON, or `otherwise` where it is damaged. Of the configuration damage is
 * found and told at the next start (src/db/core/core-rows.ts); until then what is asked goes on.
 */
export function readCell<T>(text: string, otherwise: T, is: (value: unknown) => boolean = () => true): T {
  try {
    const value: unknown = JSON.parse(text)
    return is(value) ? (value as T) : otherwise
  } catch {
    return otherwise
  }
}
