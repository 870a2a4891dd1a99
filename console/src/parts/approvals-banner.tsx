import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { words } from '../words/approvals.ts'
import { approvalsText } from './approvals-text.ts'
import { onDemand } from './on-demand.tsx'
import { Button, Icon } from './page.tsx'

const ApprovalsDialog = onDemand(async () => (await import('./approvals-dialog.tsx')).ApprovalsDialog)

const APPROVALS = '/console/approvals'

/**
 * Announces waiting requests on every page. Its dialog never opens by itself, because nobody should answer a request by
 * accident.
 */
export function ApprovalsBanner(): JSX.Element {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  const show = (open: boolean) => (): void => {
    isOpen.value = open
  }
  const text = path === APPROVALS ? null : approvalsText()
  return (
    <>
      <div role="status">
        {text !== null && (
          <div class="banner calls">
            <Icon name="waiting" />
            <p>{text}</p>
            <Button label={words.look} onClick={show(true)} />
          </div>
        )}
      </div>
      {isOpen.value && <ApprovalsDialog onClose={show(false)} />}
    </>
  )
}
