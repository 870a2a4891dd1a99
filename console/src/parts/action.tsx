import { useSignal } from '@preact/signals'
import type { ComponentChild, JSX } from 'preact'
import { HmError } from '@hm-gateway/client/src/browser.ts'
import { words } from '../words/frame.ts'
import { Button, Icon } from './page.tsx'

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

interface UnreadProps {
  readonly error: unknown
  readonly again: () => void
  readonly says?: string
}

/** In the place of what was not read yet: the wait for it, or why it could not be read. */
export function Unread({ error, again, says = words.reading }: UnreadProps): JSX.Element {
  return error === null ? <p class="wait">{says}</p> : <Problem error={error} onAgain={again} />
}

/** What was said against something that was tried; nothing where nothing was. */
export function Said({ of }: { readonly of: string | null }): JSX.Element | null {
  return of === null ? null : (
    <p role="alert">
      <Told>{of}</Told>
    </p>
  )
}

/** What could not be read or done, in the gateway's own words. */
export function Problem({ error, onAgain }: { error: unknown; onAgain?: (() => void) | undefined }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon of="alert" />
      <p>
        <Told>{sentenceOf(error)}</Told>
      </p>
      {onAgain && <Button says={words.again} onClick={onAgain} />}
    </div>
  )
}

/** A sentence of the gateway, or of the console, in which commands stand in backticks. */
export function Told({ children }: { readonly children: string }): JSX.Element {
  return <>{withCode(children)}</>
}

/** Every second part stood in backticks; one that is never closed is no command. */
function withCode(sentence: string): readonly ComponentChild[] {
  const parts = sentence.split('`')
  if (parts.length % 2 === 0) return [sentence]
  return parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))
}
