import { signal } from '@preact/signals'
import type { Control, DeviceControl, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { confirmed, deviceOf } from './home.ts'
import { owner } from './session.ts'

export type { Control }

/** What was sent to devices and is not answered yet, by device, the oldest first. */
export const asked = signal<ReadonlyMap<string, readonly Control[]>>(new Map())

/** What the gateway said against a change, and the device as it was then. */
interface Refused {
  readonly said: string
  readonly of: HomeDevice | null
}
const refused = signal<ReadonlyMap<string, Refused>>(new Map())

/** What the gateway said against the last change of a device, until something of that device changes. */
export function refusalOf(id: string): string | null {
  const refusal = refused.value.get(id)
  return refusal && refusal.of === deviceOf(id).value ? refusal.said : null
}

/** Controls a device or a scene. Its state moves when the unit has confirmed it, and never before. */
export function control(device: string, body: Control): Promise<void> {
  return asking([{ device, ...body }], async () => {
    const { state } = await owner.call('post', '/v1/devices/{id}/control', { path: { id: device }, body })
    if (state) confirmed(device, state)
  })
}

/** Controls many devices at once, and answers which of them did it; one that is refused says so itself. */
export async function controlAll(controls: readonly DeviceControl[]): Promise<readonly string[]> {
  const done: string[] = []
  await asking(controls, async () => {
    const { results } = await owner.control({ controls })
    for (const { device, state, error } of results) {
      if (error) {
        refuse([device], error.message)
        continue
      }
      done.push(device)
      if (state) confirmed(device, state)
    }
  })
  return done
}

async function asking(controls: readonly DeviceControl[], send: () => Promise<void>): Promise<void> {
  const devices = controls.map(({ device }) => device)
  for (const each of controls) change(each.device, (before) => [...before, each])
  refused.value = new Map([...refused.value].filter(([id]) => !devices.includes(id)))
  try {
    await send()
  } catch (error) {
    refuse(devices, error instanceof Error ? error.message : String(error))
  } finally {
    for (const each of controls) change(each.device, (before) => before.filter((other) => other !== each))
  }
}

function change(id: string, next: (before: readonly Control[]) => readonly Control[]): void {
  const after = next(asked.value.get(id) ?? [])
  const others = [...asked.value].filter(([other]) => other !== id)
  asked.value = new Map(after.length === 0 ? others : [...others, [id, after]])
}

function refuse(devices: readonly string[], said: string): void {
  const added = devices.map((id): [string, Refused] => [id, { said, of: deviceOf(id).value }])
  refused.value = new Map([...refused.value, ...added])
}
