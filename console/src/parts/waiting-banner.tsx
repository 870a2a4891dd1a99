import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { Icon } from './icon.tsx'
import { WaitingDialog } from './waiting-dialog.tsx'

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
  const text = path === APPROVALS ? null : bannerText()
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

function bannerText(): string | null {
  const [request, confirmation] = [requests.value[0], confirmations.value[0]]
  const count = requests.value.length + confirmations.value.length
  if (count > 1) return words.several(count)
  if (confirmation) return words.wantsToOpen(confirmation.label)
  return request ? words.asksForAccess(words.via(request.name, request.platform)) : null
}
