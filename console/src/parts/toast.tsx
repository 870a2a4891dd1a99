import type { JSX } from 'preact'
import { dismiss, hold, notice, resume, tell } from '../stores/notices.ts'
import { words } from '../words/frame.ts'
import { sentenceOf } from './action.ts'
import { Icon } from './icon.tsx'
import { Told } from './told.tsx'

/** What was done, at the foot of the page, with the way back. */
export function Toast(): JSX.Element | null {
  const told = notice.value
  if (told === null) return null
  const undo = async (): Promise<void> => {
    dismiss()
    try {
      await told.undo?.()
    } catch (error) {
      tell(sentenceOf(error))
    }
  }
  return (
    <section
      class="toast"
      aria-label={words.done}
      onPointerEnter={hold}
      onPointerLeave={resume}
      onFocusIn={hold}
      onFocusOut={resume}
    >
      <p>
        <Told>{told.text}</Told>
      </p>
      {told.undo && (
        <button type="button" class="quiet" onClick={() => void undo()}>
          <Icon of="undo" />
          {words.undo}
        </button>
      )}
      <button type="button" class="quiet round" aria-label={words.close} onClick={dismiss}>
        <Icon of="close" />
      </button>
    </section>
  )
}
