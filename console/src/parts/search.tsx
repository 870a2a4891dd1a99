import { useComputed, useSignal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { devicePath } from '../lib/page-paths.ts'
import { floors, openFloor, roomToShow, sceneToShow } from '../stores/floors.ts'
import { deviceOf, scenes } from '../stores/home.ts'
import { words } from '../words/search.ts'
import { deviceIcon } from './device-icon.ts'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icons.ts'
import { Icon } from './page.tsx'

/** Searches devices, rooms and scenes by name. The key `/` opens it on every page. */
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
        <Icon name="search" />
        <span>{words.search}</span>
        <kbd>/</kbd>
      </button>
      {isOpen.value && <SearchDialog onClose={close} />}
    </>
  )
}

function SearchDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const text = useSignal('')
  const results = useComputed(() => search(text.value))
  const { route } = useLocation()
  const go = ({ path, onOpen }: SearchResult): void => {
    onOpen()
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
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <p class="hint" role="status">
          {text.value.trim() !== '' && words.count(results.value.length)}
        </p>
        <ul>
          {results.value.map((result) => (
            <li key={result.id}>
              <a
                href={result.path}
                onClick={(event) => {
                  event.preventDefault()
                  go(result)
                }}
              >
                <Icon name={result.icon ?? iconOf(result.id)} />
                <span dir="auto" title={result.name}>
                  {result.name}
                </span>
                <span class="hint" dir="auto">
                  {result.where}
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

/** Arrow keys move between the field and the results. */
function moveByArrows(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')]
  const at = stops.findIndex((stop) => stop === document.activeElement)
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select, dialog *')

interface SearchResult {
  readonly id: string
  readonly name: string
  /** Room or floor, or the kind of thing. */
  readonly where: string
  /** Null for devices, which have an icon by class and state. */
  readonly icon: IconName | null
  readonly path: string
  /** Selects the floor of the result. */
  readonly onOpen: () => void
}

const HOME = '/console/'
/** Longest list of results. */
const RESULTS_MAX = 12

/** Finds things that have all terms in their name or place. Names that begin with the first term come first. */
function search(text: string): readonly SearchResult[] {
  const terms = plain(text).split(/\s+/).filter(Boolean)
  const [first] = terms
  if (first === undefined) return []
  const matches = searchableThings().filter(({ name, where }) => {
    const searched = plain(`${name} ${where}`)
    return terms.every((term) => searched.includes(term))
  })
  const rank = ({ name }: SearchResult): number =>
    plain(name).startsWith(first) ? 0 : plain(name).includes(first) ? 1 : 2
  return matches.toSorted((one, other) => rank(one) - rank(other)).slice(0, RESULTS_MAX)
}

function searchableThings(): readonly SearchResult[] {
  const ofRooms = floors.value.flatMap((floor) =>
    floor.rooms.flatMap((room): readonly SearchResult[] => {
      const showFloor = () => (openFloor.value = floor.id)
      const showRoom = (): void => {
        showFloor()
        roomToShow.value = room.id
      }
      return [
        { id: room.id, name: room.name, where: floor.name, icon: 'rooms', path: HOME, onOpen: showRoom },
        ...room.devices.map(({ id, name }): SearchResult => ({
          id,
          name,
          where: room.name,
          icon: null,
          path: devicePath(id),
          onOpen: showFloor,
        })),
      ]
    }),
  )
  const ofScenes = scenes.value.map(({ id, name, floor }): SearchResult => ({
    id,
    name,
    where: words.scene,
    icon: 'scene',
    path: HOME,
    onOpen: () => {
      openFloor.value = floor ?? openFloor.value
      sceneToShow.value = id
    },
  }))
  return [...ofRooms, ...ofScenes]
}

/** Lower case without accents, so that `kuche` finds `Küche`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim()
