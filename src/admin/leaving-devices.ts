import type { House } from '../home/house/house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import { subjectKey } from '../home/model/events.ts'
import type { ActivityStore } from '../home/ports/history-store.ts'
import type { Energy } from '../home/record/energy.ts'
import { nextTurn } from '../lib/next-turn.ts'

export interface PastSources {
  readonly energy: Pick<Energy, 'total'>
  readonly activity: Pick<ActivityStore, 'page'>
}

/** A device with a past that leaves the house; `energy` is its total in Wh. */
export interface LeavingDevice {
  readonly id: DeviceKey
  readonly name: string
  readonly energy: number
}

/**
 * Devices with energy or activity that leave the house. Yields to the event loop between devices, because there may be
 * thousands.
 */
export async function leavingDevices(
  now: Pick<House, 'devices'>,
  then: Pick<House, 'devices'>,
  { energy, activity }: PastSources,
): Promise<LeavingDevice[]> {
  const leaving: LeavingDevice[] = []
  for (const { key, name } of now.devices.values()) {
    if (then.devices.has(key)) continue
    await nextTurn()
    const taken = energy.total(key)
    const subjects = { only: [subjectKey({ kind: 'device' as const, id: key })] }
    const { entries } = activity.page({ subjects, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 })
    if (taken > 0 || entries.length > 0) leaving.push({ id: key, name, energy: taken })
  }
  return leaving
}
