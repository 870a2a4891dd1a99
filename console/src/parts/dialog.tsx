import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { connected } from '../stores/home.ts'
import { notice, pauseForDialog } from '../stores/page-notices.ts'
import { words } from '../words/page-frame.ts'
import { ErrorLine, useAction } from './action.tsx'
import { Button, type ButtonProps } from './page.tsx'
import { approvalsText } from './approvals-text.ts'

interface DialogProps {
  readonly title: string
  /** Called by Esc and the cross. Without it the person must use one of the buttons. */
  readonly onClose?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is rendered. Closing it returns the focus. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(pauseForDialog, [])
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={({ currentTarget: dialog }) => {
        // Browsers close a dialog at the second Esc, even if the page prevented the first.
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
      <DialogStatus />
    </dialog>
  )
}

/** Announces notices and a lost connection to screen readers. */
export const NoticeStatus = (): JSX.Element => (
  <p class="unseen" role="status">
    {connected.value ? notice.value?.text : words.offline}
  </p>
)

/** Announces notices and new approvals inside the dialog; screen readers ignore the page below it. */
const DialogStatus = (): JSX.Element => (
  <>
    <NoticeStatus />
    <p class="unseen" role="status">
      {approvalsText()}
    </p>
  </>
)

interface DialogButtonProps extends ButtonProps {
  /** Renders the dialog; `close` closes it. */
  readonly children: (close: () => void) => JSX.Element
}

/** A button that opens a dialog. */
export function DialogButton({ children, ...button }: DialogButtonProps): JSX.Element {
  const isOpen = useSignal(false)
  return (
    <>
      <Button {...button} onClick={() => (isOpen.value = true)} />
      {isOpen.value && children(() => (isOpen.value = false))}
    </>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  /** Consequences of the action, with counts. */
  readonly children: ComponentChildren
  /** Label of the button: `Delete Dashboard`. */
  readonly verb: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before an action that affects others. It lists the consequences, and the button names the action. */
export function ConfirmDialog({ title, children, verb, onConfirm, onClose }: ConfirmDialogProps): JSX.Element {
  const { run, busy, message } = useAction(onConfirm)
  const confirm = async (): Promise<void> => {
    if (await run()) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ErrorLine message={message} />
      <div class="actions">
        <Button label={words.cancel} onClick={onClose} />
        <Button class="danger" label={verb} aria-disabled={busy} onClick={() => void confirm()} />
      </div>
    </Dialog>
  )
}
interface ConfirmButtonProps extends Pick<ConfirmDialogProps, 'title' | 'onConfirm'> {
  readonly label: string
  /** Label of the dialog's button, and of this one for screen readers; `label` by default. */
  readonly verb?: string
  /** Consequence of the action. */
  readonly children: string
}

/** A button whose action needs confirmation. */
export const ConfirmButton = ({ label, verb = label, children, ...dialog }: ConfirmButtonProps): JSX.Element => (
  <DialogButton class="quiet danger" label={label} aria-label={verb}>
    {(close) => (
      <ConfirmDialog {...dialog} verb={verb} onClose={close}>
        <p>{children}</p>
      </ConfirmDialog>
    )}
  </DialogButton>
)
