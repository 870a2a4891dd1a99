import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { words } from '../words/frame.ts'
import { Icon } from './icon.tsx'

/** Copies a text; says so by its own name, so that nobody has to look elsewhere. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }): JSX.Element {
  const isCopied = useSignal(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
  }
  return (
    <button type="button" class="quiet" aria-label={words.copyOf(what)} onClick={() => void copy()}>
      <Icon of={isCopied.value ? 'check' : 'copy'} />
      {isCopied.value ? words.copied : words.copy}
    </button>
  )
}
