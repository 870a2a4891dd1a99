import { useSignal } from '@preact/signals'
import { HmError } from '@hm-gateway/client/src/browser.ts'

/** Something that a person sets off, and how it goes. */
export interface Action<Given extends readonly unknown[]> {
  /** Does it, once at a time. Answers whether it went well. */
  readonly run: (...given: Given) => Promise<boolean>
  /** A button shows it as `aria-disabled`: one that is `disabled` loses the focus. */
  readonly busy: boolean
  /** What the gateway said against it, until it is tried again. */
  readonly said: string | null
  /** The code of its refusal, until it is tried again. */
  readonly code: string | null
}

/** One action of a page, with its wait and its refusal. */
export function useAction<Given extends readonly unknown[]>(
  work: (...given: Given) => Promise<unknown>,
): Action<Given> {
  const busy = useSignal(false)
  const failed = useSignal<unknown>(null)
  const run = async (...given: Given): Promise<boolean> => {
    if (busy.peek()) return false
    busy.value = true
    failed.value = null
    try {
      await work(...given)
      return true
    } catch (error) {
      failed.value = error
      return false
    } finally {
      busy.value = false
    }
  }
  const error = failed.value
  const said = error === null ? null : sentenceOf(error)
  return { run, busy: busy.value, said, code: error instanceof HmError ? error.code : null }
}

/** The sentence of an error: of a refusal, the gateway's own. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
