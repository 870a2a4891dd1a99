import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { cover } from '../stores/notices.ts'
import { words } from '../words/frame.ts'
import { DialogLines } from './announcements.tsx'
import { Icon } from './icon.tsx'

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
        {onClose && (
          <button type="button" class="quiet round" aria-label={words.close} onClick={onClose}>
            <Icon of="close" />
          </button>
        )}
      </div>
      {children}
      <DialogLines />
    </dialog>
  )
}
