import { useSignal } from '@preact/signals'
import type { ComponentChild, JSX } from 'preact'
import { HmError } from '@hm-gateway/client/src/browser.ts'
import { words } from '../words/page-frame.ts'
import { Button, Icon } from './page.tsx'

/** An action of a page: its function, its progress and its last error. */
export interface Action<Args extends readonly unknown[]> {
  /** Runs the action, once at a time. Resolves true on success. */
  readonly run: (...args: Args) => Promise<boolean>
  /** Buttons show it as `aria-disabled`, because `disabled` would take away the focus. */
  readonly busy: boolean
  /** Message of the last error, until the next run. */
  readonly message: string | null
  /** Code of the last error, until the next run. */
  readonly code: string | null
}

export function useAction<Args extends readonly unknown[]>(work: (...args: Args) => Promise<unknown>): Action<Args> {
  const busy = useSignal(false)
  const failed = useSignal<unknown>(null)
  const run = async (...args: Args): Promise<boolean> => {
    if (busy.peek()) return false
    busy.value = true
    failed.value = null
    try {
      await work(...args)
      return true
    } catch (error) {
      failed.value = error
      return false
    } finally {
      busy.value = false
    }
  }
  const error = failed.value
  const message = error === null ? null : errorMessage(error)
  return { run, busy: busy.value, message, code: error instanceof HmError ? error.code : null }
}

/** Message of an error, for people. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface LoadingProps {
  readonly error: unknown
  readonly reload: () => void
  readonly label?: string
}

/** Placeholder of data that is loading, or the error with a retry button. */
export function Loading({ error, reload, label = words.reading }: LoadingProps): JSX.Element {
  return error === null ? <p class="wait">{label}</p> : <ErrorBox error={error} onRetry={reload} />
}

/** Error message of an action; nothing if the message is null. */
export function ErrorLine({ message }: { readonly message: string | null }): JSX.Element | null {
  return message === null ? null : (
    <p role="alert">
      <Sentence>{message}</Sentence>
    </p>
  )
}

/** Box with an error message, and a retry button if there is something to retry. */
export function ErrorBox({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <p>
        <Sentence>{errorMessage(error)}</Sentence>
      </p>
      {onRetry && <Button label={words.again} onClick={onRetry} />}
    </div>
  )
}

/** A sentence with commands in backticks, shown as code. */
export const Sentence = ({ children }: { readonly children: string }): JSX.Element => <>{withCode(children)}</>

/** Folded section with a sentence that contains shell commands. */
export const ForCommandLine = ({ text }: { readonly text: string }): JSX.Element => (
  <details>
    <summary>{words.commandLine}</summary>
    <p>{withCode(text)}</p>
  </details>
)

/** Every second part is code. A sentence with an unclosed backtick stays as it is. */
function withCode(sentence: string): readonly ComponentChild[] {
  const parts = sentence.split('`')
  if (parts.length % 2 === 0) return [sentence]
  return parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))
}
