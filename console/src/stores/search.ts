import { devicePath } from '../device-path.ts'
import type { IconName } from '../parts/icons.ts'
import { words } from '../words/search.ts'
import { floors, openFloor, wantedRoom, wantedScene } from './floors.ts'
import { scenes } from './home.ts'

/** Something of the home that is called as somebody searched. */
export interface Found {
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
export const FOUND_MAX = 12

/** Rooms, devices and scenes that have all the words in their name or place, those that begin so first. */
export function found(wanted: string): readonly Found[] {
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
      const open = (): void => {
        openFloor.value = floor.id
      }
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
