import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { connected } from '../stores/home.ts'
import { cover, notice } from '../stores/notices.ts'
import { words } from '../words/frame.ts'
import { Said, useAction } from './action.tsx'
import { Button, type ButtonProps } from './page.tsx'
import { waitingText } from './waiting.tsx'

interface DialogProps {
  readonly title: string
  /** Esc and the cross; left out where it must be answered by one of its buttons. */
  readonly onClose?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** Something that is settled before the page goes on: open while it is there, and the focus goes back with it. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const own = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(cover, [])
  useEffect(() => {
    const dialog = own.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={own}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={({ currentTarget: dialog }) => {
        // Browsers close it at the second Esc, whatever the page says to the first.
        if (!dialog.isConnected) return
        if (onClose) onClose()
        else dialog.showModal()
      }}
    >
      <div class="head">
        <h2 id={id}>{title}</h2>
        {onClose && <Button class="quiet round" icon="close" aria-label={words.close} onClick={onClose} />}
      </div>
      {children}
      <DialogLines />
    </dialog>
  )
}

/** What those who listen are told of what was done, and of a lost connection. */
export const NoticeLine = (): JSX.Element => (
  <p class="unseen" role="status">
    {connected.value ? notice.value?.text : words.offline}
  </p>
)

/** The same in a dialog, and who waits for a word: nobody hears of what lies beneath it. */
const DialogLines = (): JSX.Element => (
  <>
    <NoticeLine />
    <p class="unseen" role="status">
      {waitingText()}
    </p>
  </>
)

interface OpensProps extends ButtonProps {
  /** The dialog, which is given how it closes. */
  readonly children: (close: () => void) => JSX.Element
}

/** A button that opens a dialog. */
export function Opens({ children, ...button }: OpensProps): JSX.Element {
  const isOpen = useSignal(false)
  return (
    <>
      <Button {...button} onClick={() => (isOpen.value = true)} />
      {isOpen.value && children(() => (isOpen.value = false))}
    </>
  )
}

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
        <Button says={words.cancel} onClick={onClose} />
        <Button class="danger" says={verb} aria-disabled={busy} onClick={() => void end()} />
      </div>
    </Dialog>
  )
}
