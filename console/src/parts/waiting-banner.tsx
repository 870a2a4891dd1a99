import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { words } from '../words/approvals.ts'
import { Icon } from './icon.tsx'
import { WaitingDialog } from './waiting-dialog.tsx'
import { waitingText } from './waiting-text.ts'

const APPROVALS = '/console/approvals'

/**
 * Says on every page that somebody waits for a word. What waits opens when a person wants it, never by itself: nobody
 * shall answer what has just appeared.
 */
export function WaitingBanner(): JSX.Element {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  const show = (open: boolean) => (): void => {
    isOpen.value = open
  }
  const text = path === APPROVALS ? null : waitingText()
  return (
    <>
      <div role="status">
        {text !== null && (
          <div class="banner calls">
            <Icon of="waiting" />
            <p>{text}</p>
            <button type="button" onClick={show(true)}>
              {words.look}
            </button>
          </div>
        )}
      </div>
      {isOpen.value && <WaitingDialog onClose={show(false)} />}
    </>
  )
}
