import { computed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Integration } from '../../lib/admin-contract.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { localHome, localHomeProblem, readLocalHome } from '../../stores/local-home.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { Conflict } from './conflict.tsx'
import { Connect } from './connect.tsx'
import { Credentials } from './credentials.tsx'
import { draftOf } from './draft.ts'
import { May } from './may.tsx'
import { pickableOf } from './pickable.ts'
import { PreviewAs } from './preview-as.tsx'
import { RecordHead } from './record-head.tsx'
import { SaveBar } from './save-bar.tsx'
import { Sees } from './sees.tsx'

const HEADINGS = { withoutRoom: words.inNoRoom, scenes: words.scenes }
/** Read once of each state of the home: a large one has thousands of things. */
const pickable = computed(() => localHome.value && pickableOf(localHome.value, HEADINGS))

/** One integration: what it sees, what it may do, and who comes in by it. */
export function Record({ stored }: { readonly stored: Integration }): JSX.Element {
  const shown = useSignal<'connect' | 'preview' | null>(null)
  const close = (): void => {
    shown.value = null
  }
  const draft = draftOf(stored)
  const home = pickable.value
  return (
    <Page title={stored.name} above={<ToList />} beside={<RecordHead stored={stored} />}>
      {draft.base.revision !== stored.revision && <Conflict stored={stored} draft={draft} home={home} />}
      <div class="record">
        <Card
          title={words.sees}
          beside={
            <button type="button" class="quiet" onClick={() => (shown.value = 'preview')}>
              <Icon of="eye" />
              {words.preview}
            </button>
          }
        >
          {home === null ? <NoHome /> : <Sees stored={stored} draft={draft} home={home} />}
        </Card>
        <Card title={words.may}>
          <May stored={stored} draft={draft} />
        </Card>
        <Card
          title={words.credentials}
          beside={
            <button type="button" class="main" onClick={() => (shown.value = 'connect')}>
              <Icon of="plug" />
              {words.connect}
            </button>
          }
        >
          <Credentials credentials={stored.credentials} />
        </Card>
      </div>
      <SaveBar stored={stored} draft={draft} />
      {shown.value === 'preview' && <PreviewAs draft={draft} onClose={close} />}
      {shown.value === 'connect' && <Connect stored={stored} onClose={close} />}
    </Page>
  )
}

const ToList = (): JSX.Element => (
  <a class="back" href="/console/access">
    <Icon of="left" />
    {words.toList}
  </a>
)

/** In the place of what is picked from, before the home was read. */
function NoHome(): JSX.Element {
  if (localHomeProblem.value === null) return <p class="wait">{common.loading}</p>
  return <Problem error={localHomeProblem.value} onAgain={() => void readLocalHome()} />
}
