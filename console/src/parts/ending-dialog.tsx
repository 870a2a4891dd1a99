import type { ComponentChildren, JSX } from 'preact'
import { words } from '../words/frame.ts'
import { useAction } from './action.ts'
import { Dialog } from './dialog.tsx'
import { Said } from './said.tsx'

interface EndingDialogProps {
  readonly title: string
  /** What ends for others, counted. */
  readonly children: ComponentChildren
  /** What the button does: `Delete Dashboard`. */
  readonly verb: string
  readonly onEnd: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something ends for others: it says what ends, and the button says what it does. */
export function EndingDialog({ title, children, verb, onEnd, onClose }: EndingDialogProps): JSX.Element {
  const { run, busy, said } = useAction(onEnd)
  const end = async (): Promise<void> => {
    if (await run()) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Said of={said} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" class="danger" aria-disabled={busy} onClick={() => void end()}>
          {verb}
        </button>
      </div>
    </Dialog>
  )
}
