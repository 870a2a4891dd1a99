import { signal } from '@preact/signals'
import { type Control, type DeviceControl, type HomeDevice, HmError } from '@hm-gateway/client/src/browser.ts'
import { applyState, deviceOf } from './home.ts'
import { owner, signedIn } from './session.ts'

export type { Control }

/** Commands without an answer yet, by device or scene id, the oldest first. */
export const pendingControls = signal<ReadonlyMap<string, readonly Control[]>>(new Map())

/** Error message of a refused command, and the device at that moment. */
interface Refusal {
  readonly message: string
  readonly device: HomeDevice | null
}
const refusals = signal<ReadonlyMap<string, Refusal>>(new Map())

/** Error message of the last command of a device, until the device changes; null if the command succeeded. */
export function refusalOf(id: string): string | null {
  const refusal = refusals.value.get(id)
  return refusal && refusal.device === deviceOf(id).value ? refusal.message : null
}

/** Controls a device or a scene. The state changes only after the unit has confirmed it. */
export async function control(device: string, body: Control): Promise<void> {
  // A second press must not ask the administrators for a second opening.
  const pending = pendingControls.peek().get(device) ?? []
  if (awaitedConfirmations.peek().has(device) && pending.some(({ op }) => op === body.op)) return
  return whilePending([{ device, ...body }], async () => {
    const { state } = await untilConfirmed(device, () =>
      owner.call('post', '/v1/devices/{id}/control', { path: { id: device }, body }),
    )
    if (state) applyState(device, state)
  })
}

/** Devices and scenes whose opening waits for an administrator. */
export const awaitedConfirmations = signal<ReadonlySet<string>>(new Set())

/** An administrator has ten minutes to confirm an opening; the same call asks nobody twice and passes afterwards. */
const CONFIRM_MS_MAX = 10 * 60_000
const REPEAT_MS = 3_000

/** Repeats a call while it waits for an administrator. @throws HmError if they decline, or nobody answers */
async function untilConfirmed<T>(device: string, call: () => Promise<T>): Promise<T> {
  const end = performance.now() + CONFIRM_MS_MAX
  try {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        // A declined opening says when it may be asked for again.
        const isWaiting =
          error instanceof HmError && error.code === 'confirmation_required' && error.retryAfter === null
        if (!isWaiting || performance.now() > end || signedIn.peek() !== true) throw error
        awaitedConfirmations.value = new Set([...awaitedConfirmations.peek(), device])
      }
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS))
    }
  } finally {
    awaitedConfirmations.value = new Set([...awaitedConfirmations.peek()].filter((id) => id !== device))
  }
}

/** Controls many devices at once. Returns the ids that succeeded; `refusalOf` has the errors of the rest. */
export async function controlAll(controls: readonly DeviceControl[]): Promise<readonly string[]> {
  const succeeded: string[] = []
  for (let first = 0; first < controls.length; first += CONTROLS_OF_ONE_CALL) {
    const part = controls.slice(first, first + CONTROLS_OF_ONE_CALL)
    await whilePending(part, async () => {
      const { results } = await owner.control({ controls: part })
      for (const { device, state, error } of results) {
        if (error) {
          addRefusals([device], error.message)
          continue
        }
        succeeded.push(device)
        if (state) applyState(device, state)
      }
    })
  }
  return succeeded
}

/** Limit of the gateway for one call. */
const CONTROLS_OF_ONE_CALL = 100

async function whilePending(controls: readonly DeviceControl[], send: () => Promise<void>): Promise<void> {
  const devices = controls.map(({ device }) => device)
  for (const sent of controls) updatePending(sent.device, (pending) => [...pending, sent])
  refusals.value = new Map([...refusals.value].filter(([id]) => !devices.includes(id)))
  try {
    await send()
  } catch (error) {
    addRefusals(devices, error instanceof Error ? error.message : String(error))
  } finally {
    for (const sent of controls) updatePending(sent.device, (pending) => pending.filter((other) => other !== sent))
  }
}

function updatePending(id: string, update: (pending: readonly Control[]) => readonly Control[]): void {
  const updated = update(pendingControls.value.get(id) ?? [])
  const rest = [...pendingControls.value].filter(([other]) => other !== id)
  pendingControls.value = new Map(updated.length === 0 ? rest : [...rest, [id, updated]])
}

function addRefusals(devices: readonly string[], message: string): void {
  const added = devices.map((id): [string, Refusal] => [id, { message, device: deviceOf(id).value }])
  refusals.value = new Map([...refusals.value, ...added])
}
