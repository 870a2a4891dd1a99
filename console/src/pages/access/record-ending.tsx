import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { Integration, IntegrationsPreviewAnswer } from '../../lib/admin-contract.ts'
import { EndingDialog } from '../../parts/ending-dialog.tsx'
import { words } from '../../words/access.ts'
import { Ends } from './ends.tsx'
import { remove, setEnabled } from './record-changes.ts'

/** How an integration is to end, and what would with it. */
export interface Ending {
  readonly does: 'disable' | 'delete'
  readonly preview: IntegrationsPreviewAnswer
}

interface RecordEndingProps {
  readonly stored: Integration
  readonly ending: Ending
  readonly onClose: () => void
}

/** Asks before an integration is deleted, or disabled where rules end with it. */
export function RecordEnding({ stored, ending: { does, preview }, onClose }: RecordEndingProps): JSX.Element {
  const { route } = useLocation()
  const end = async (): Promise<void> => {
    if (does === 'disable') return setEnabled(stored, false)
    await remove(stored)
    route('/console/access')
  }
  return (
    <EndingDialog
      title={does === 'delete' ? words.deleteTitle(stored.name) : words.disableTitle(stored.name)}
      verb={does === 'delete' ? words.delete(stored.name) : words.disable}
      onEnd={end}
      onClose={onClose}
    >
      <Ends credentials={stored.credentials} leave={preview} />
    </EndingDialog>
  )
}
