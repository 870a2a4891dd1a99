import type { JSX } from 'preact'
import type { GroupDetail } from '@hm-gateway/client/src/browser.ts'
import { Loading } from '../../parts/action.tsx'
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx'
import { Card, useShowMore } from '../../parts/page.tsx'
import { deviceOf, revision } from '../../stores/home.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { owner } from '../../stores/session.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words } from '../../words/groups.ts'
import { GroupDialog } from './group-dialog.tsx'

/** Groups per step of the list. */
const GROUPS_STEP = 20

/** The named groups, to make, change and delete. */
export function Groups(): JSX.Element {
  const { value, error, reload } = useResource(() => owner.call('get', '/v1/groups'), revision.value)
  return (
    <Card title={words.title}>
      <p class="muted">{words.about}</p>
      {value === null ? <Loading error={error} reload={reload} /> : <List groups={value.groups} onChange={reload} />}
      <div class="actions">
        <DialogButton class="main" icon="add" label={words.add}>
          {(close) => <GroupDialog group={null} onSaved={reload} onClose={close} />}
        </DialogButton>
      </div>
    </Card>
  )
}

interface ListProps {
  readonly groups: readonly GroupDetail[]
  readonly onChange: () => void
}

function List({ groups, onChange }: ListProps): JSX.Element {
  const [visible, more] = useShowMore(groups, GROUPS_STEP)
  if (groups.length === 0) return <p>{words.empty}</p>
  return (
    <>
      <ul class="rows">
        {visible.map((group) => (
          <GroupRow key={group.id} group={group} onChange={onChange} />
        ))}
      </ul>
      {more}
    </>
  )
}

function GroupRow({ group, onChange }: { readonly group: GroupDetail; readonly onChange: () => void }): JSX.Element {
  const { id, name, members, revision: ifRevision } = group
  const names = members.flatMap((member) => deviceOf(member).value?.name ?? [])
  const remove = async (): Promise<void> => {
    await owner.call('delete', '/v1/groups/{id}', { path: { id }, query: { ifRevision } })
    showNotice(words.removed(name))
    onChange()
  }
  return (
    <li>
      <span class="grow" dir="auto">
        {name}
        <br />
        <span class="muted">{names.length === 0 ? words.none : names.join(' · ')}</span>
      </span>
      <DialogButton class="quiet" label={words.edit} aria-label={words.change(name)}>
        {(close) => <GroupDialog group={group} onSaved={onChange} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={words.remove}
        title={`${words.removeNamed(name)}?`}
        verb={words.removeNamed(name)}
        onConfirm={remove}
      >
        {words.effect}
      </ConfirmButton>
    </li>
  )
}
