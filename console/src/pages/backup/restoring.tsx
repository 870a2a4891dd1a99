import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Restoring } from '../../lib/admin-contract.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { connected } from '../../stores/home.ts'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { forgetRestored, noteRestored } from '../../stores/restored.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'

interface RestartProps {
  readonly told: Restoring
  readonly onBack: () => void
}

/**
 * From the decision until the gateway is back. Where this session does not hold any more, the page to sign in tells the
 * rest; a gateway that has another CA then is reached by a new loading of the page alone.
 */
export function Restart({ told: { at, contents, present }, onBack }: RestartProps): JSX.Element {
  const sentence = words.restored(contents.home, momentWords(at))
  const wasAway = useRef(false)
  const isConnected = connected.value
  useEffect(() => noteRestored(words.signInAsThen(sentence)), [])
  useEffect(() => {
    if (!isConnected) wasAway.current = true
    if (!isConnected || !wasAway.current) return
    forgetRestored()
    tell(sentence)
    onBack()
  }, [isConnected])
  return (
    <Dialog title={words.restartTitle}>
      <p role="status">{words.restarts}</p>
      {present === 'another' && <p>{words.otherAuthority}</p>}
      <div class="actions">
        <button type="button" onClick={() => location.reload()}>
          {frame.reload}
        </button>
      </div>
    </Dialog>
  )
}
