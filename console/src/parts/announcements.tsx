import type { JSX } from 'preact'
import { connected } from '../stores/home.ts'
import { notice } from '../stores/notices.ts'
import { words } from '../words/frame.ts'
import { waitingText } from './waiting-text.ts'

/** What those who listen are told of what was done, and of a lost connection. */
export const NoticeLine = (): JSX.Element => (
  <p class="unseen" role="status">
    {connected.value ? notice.value?.text : words.offline}
  </p>
)

/** The same in a dialog, and who waits for a word: nobody hears of what lies beneath it. */
export const DialogLines = (): JSX.Element => (
  <>
    <NoticeLine />
    <p class="unseen" role="status">
      {waitingText()}
    </p>
  </>
)
