import { useComputed, useSignal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { devicePath } from '../lib/addresses.ts'
import { floors, openFloor, wantedRoom, wantedScene } from '../stores/floors.ts'
import { deviceOf, scenes } from '../stores/home.ts'
import { words } from '../words/search.ts'
import { deviceIcon } from './device-icon.ts'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icons.ts'
import { Icon } from './page.tsx'

/** Finds devices, rooms and scenes by their names; `/` opens it from everywhere. */
export function Search(): JSX.Element {
  const isOpen = useSignal(false)
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      isOpen.value = true
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [])
  const close = () => (isOpen.value = false)
  return (
    <>
      <button
        type="button"
        class="quiet search"
        aria-label={words.search}
        aria-keyshortcuts="/"
        onClick={() => (isOpen.value = true)}
      >
        <Icon of="search" />
        <span>{words.search}</span>
        <kbd>/</kbd>
      </button>
      {isOpen.value && <SearchDialog onClose={close} />}
    </>
  )
}

function SearchDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const wanted = useSignal('')
  const results = useComputed(() => found(wanted.value))
  const { route } = useLocation()
  const go = ({ path, open }: Found): void => {
    open()
    onClose()
    route(path)
  }
  return (
    <Dialog title={words.search} onClose={onClose}>
      <form
        role="search"
        class="finder"
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = results.value
          if (first) go(first)
        }}
        onKeyDown={moveByArrows}
      >
        <input
          type="search"
          aria-label={words.hint}
          placeholder={words.hint}
          autocomplete="off"
          autofocus
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <p class="hint" role="status">
          {wanted.value.trim() !== '' && words.count(results.value.length)}
        </p>
        <ul>
          {results.value.map((each) => (
            <li key={each.id}>
              <a
                href={each.path}
                onClick={(event) => {
                  event.preventDefault()
                  go(each)
                }}
              >
                <Icon of={each.icon ?? iconOf(each.id)} />
                <span dir="auto" title={each.name}>
                  {each.name}
                </span>
                <span class="hint" dir="auto">
                  {each.where}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  )
}

function iconOf(id: string): IconName {
  const device = deviceOf(id).value
  return device ? deviceIcon(device) : 'plug'
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** The arrows go from the line to the matches and between them. */
function moveByArrows(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')]
  const at = stops.findIndex((each) => each === document.activeElement)
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select, dialog *')

/** Something of the home that is called as somebody searched. */
interface Found {
  readonly id: string
  readonly name: string
  /** Where it is, or what it is. */
  readonly where: string
  /** Null: that of the device. */
  readonly icon: IconName | null
  readonly path: string
  /** What goes with following it: the floor on which it is seen. */
  readonly open: () => void
}

const HOME = '/console/'
/** More would not be read; another letter makes them fewer. */
const FOUND_MAX = 12

/** Rooms, devices and scenes that have all the words in their name or place, those that begin so first. */
function found(wanted: string): readonly Found[] {
  const asked = plain(wanted).split(/\s+/).filter(Boolean)
  const [first] = asked
  if (first === undefined) return []
  const matches = everything().filter(({ name, where }) => {
    const text = plain(`${name} ${where}`)
    return asked.every((word) => text.includes(word))
  })
  const rank = ({ name }: Found): number => (plain(name).startsWith(first) ? 0 : plain(name).includes(first) ? 1 : 2)
  return matches.toSorted((one, other) => rank(one) - rank(other)).slice(0, FOUND_MAX)
}

function everything(): readonly Found[] {
  const ofRooms = floors.value.flatMap((floor) =>
    floor.rooms.flatMap((room): readonly Found[] => {
      const open = () => (openFloor.value = floor.id)
      const show = (): void => {
        open()
        wantedRoom.value = room.id
      }
      return [
        { id: room.id, name: room.name, where: floor.name, icon: 'rooms', path: HOME, open: show },
        ...room.devices.map(({ id, name }): Found => ({
          id,
          name,
          where: room.name,
          icon: null,
          path: devicePath(id),
          open,
        })),
      ]
    }),
  )
  const ofScenes = scenes.value.map(({ id, name, floor }): Found => ({
    id,
    name,
    where: words.scene,
    icon: 'scene',
    path: HOME,
    open: () => {
      openFloor.value = floor ?? openFloor.value
      wantedScene.value = id
    },
  }))
  return [...ofRooms, ...ofScenes]
}

/** Small letters without their marks, so that `kuche` finds `Küche`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim()
