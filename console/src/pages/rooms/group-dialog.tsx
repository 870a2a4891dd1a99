import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { GroupDetail } from '@hm-gateway/client/src/browser.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, Field, Form, NameField, textOf } from '../../parts/form.tsx'
import { floors } from '../../stores/floors.ts'
import type { RoomView } from '../../stores/floor-views.ts'
import { owner } from '../../stores/session.ts'
import { words } from '../../words/groups.ts'

interface GroupDialogProps {
  /** Null: a new group. */
  readonly group: GroupDetail | null
  readonly onSaved: () => void
  readonly onClose: () => void
}

/** Makes or changes a group: its name, and its devices by room. */
export function GroupDialog({ group, onSaved, onClose }: GroupDialogProps): JSX.Element {
  const members = useSignal<ReadonlySet<string>>(new Set(group?.members))
  const search = useSignal('')
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const body = { name: textOf(form, 'name').trim(), members: [...members.value] }
    if (group === null) await owner.call('post', '/v1/groups', { body })
    else
      await owner.call('patch', '/v1/groups/{id}', {
        path: { id: group.id },
        body: { ...body, ifRevision: group.revision },
      })
    onSaved()
    onClose()
  })
  const toggle = (id: string): void => {
    const rest = [...members.value].filter((member) => member !== id)
    members.value = new Set(members.value.has(id) ? rest : [...rest, id])
  }
  return (
    <Dialog title={group === null ? words.add : words.change(group.name)} onClose={onClose}>
      <Form verb={words.save} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField defaultValue={group?.name ?? ''} />
        <Field
          label={words.search}
          autocomplete="off"
          value={search.value}
          onInput={({ currentTarget }) => (search.value = currentTarget.value)}
        />
        <div class="choice">
          {roomsWith(search.value).map((room) => (
            <RoomDevices
              key={room.id}
              room={room}
              chosen={members.value}
              isOpen={search.value !== ''}
              onToggle={toggle}
            />
          ))}
        </div>
        <p class="muted" role="status">
          {words.members(members.value.size)}
        </p>
        <ErrorLine message={message} />
      </Form>
    </Dialog>
  )
}

/** Rooms with the devices whose name or room has the words. */
function roomsWith(search: string): readonly RoomView[] {
  const wanted = search.toLowerCase().split(/\s+/)
  return floors.value
    .flatMap(({ rooms }) => rooms)
    .map((room) => {
      const fits = ({ name }: { readonly name: string }): boolean =>
        wanted.every((word) => `${name} ${room.name}`.toLowerCase().includes(word))
      return { ...room, devices: room.devices.filter(fits) }
    })
    .filter(({ devices }) => devices.length > 0)
}

interface RoomDevicesProps {
  readonly room: RoomView
  readonly chosen: ReadonlySet<string>
  readonly isOpen: boolean
  readonly onToggle: (id: string) => void
}

/** Devices of a room; folded rooms render none, because a home may have thousands. */
function RoomDevices({ room: { name, devices }, chosen, isOpen, onToggle }: RoomDevicesProps): JSX.Element {
  const count = devices.filter(({ id }) => chosen.has(id)).length
  const opened = useSignal(count > 0)
  const shows = isOpen || opened.value
  return (
    <details
      open={shows}
      onToggle={({ currentTarget }) => {
        if (!isOpen) opened.value = currentTarget.open
      }}
    >
      <summary dir="auto">
        {name}
        {count > 0 && <span class="muted"> · {count}</span>}
      </summary>
      {shows &&
        devices.map(({ id, name: device }) => (
          <Checkbox key={id} checked={chosen.has(id)} onChange={() => onToggle(id)}>
            <span dir="auto">{device}</span>
          </Checkbox>
        ))}
    </details>
  )
}
