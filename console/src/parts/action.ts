import { useSignal } from '@preact/signals'

/** Something that a person sets off, and how it goes. */
export interface Action<Given extends readonly unknown[]> {
  /** Does it, once at a time. Answers whether it went well. */
  readonly run: (...given: Given) => Promise<boolean>
  /** A button shows it as `aria-disabled`: one that is `disabled` loses the focus. */
  readonly busy: boolean
  /** What the gateway said against it, until it is tried again. */
  readonly said: string | null
}

/** One action of a page, with its wait and its refusal. */
export function useAction<Given extends readonly unknown[]>(
  work: (...given: Given) => Promise<unknown>,
): Action<Given> {
  const busy = useSignal(false)
  const said = useSignal<string | null>(null)
  const run = async (...given: Given): Promise<boolean> => {
    if (busy.peek()) return false
    busy.value = true
    said.value = null
    try {
      await work(...given)
      return true
    } catch (error) {
      said.value = sentenceOf(error)
      return false
    } finally {
      busy.value = false
    }
  }
  return { run, busy: busy.value, said: said.value }
}

/** The sentence of an error: of a refusal, the gateway's own. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
