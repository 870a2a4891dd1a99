import type { Status } from '../../admin-contract.ts'
import { devicePath, localIdOf } from '../../device-path.ts'
import type { FloorView } from '../../floor-views.ts'
import { dateWords } from '../../stores/home-time.ts'
import { words } from '../../words/home.ts'

/** Something that a person should look at, and the page where they can. */
export interface Attention {
  readonly id: string
  readonly what: string
  readonly path: string
}

interface Known {
  /** As the gateway pushed it last; null before that. */
  readonly status: Status | null
  /** Units with a low battery, and what is left in percent. */
  readonly batteries: ReadonlyMap<string, number>
  readonly floors: readonly FloorView[]
  /** Epoch milliseconds. */
  readonly now: number
}

/** Of a certificate that renews itself long before, less is left only when that failed. */
const CERTIFICATE_MS = 14 * 86_400_000
const SYSTEM = '/console/system'
const ROOMS = '/console/rooms'

/** What needs attention, the gravest first: the gateway itself, its line, silent units, batteries. */
export function attentionOf({ status, batteries, floors, now }: Known): readonly Attention[] {
  const units = floors.flatMap(({ rooms }) => rooms.flatMap((room) => [...room.units, ...room.devices]))
  const named = new Map(units.map((unit) => [localIdOf(unit.id), unit]))
  const ofUnit = (localId: string, kind: string, say: (name: string) => string): Attention => {
    const unit = named.get(localId)
    return { id: `${kind}:${localId}`, what: say(unit?.name ?? localId), path: unit ? devicePath(unit.id) : ROOMS }
  }
  return [
    ...(status ? ofGateway(status, now) : []),
    ...(status?.units.unreachable ?? []).map((id) => ofUnit(id, 'silent', words.silent)),
    ...(status?.units.otherClass ?? []).map(({ device }) => ofUnit(device, 'class', words.otherClass)),
    ...[...batteries].map(([id, left]) => ofUnit(localIdOf(id), 'battery', (name) => words.battery(name, left))),
  ]
}

function ofGateway({ units, disk, certificateUntil, incidents }: Status, now: number): readonly Attention[] {
  const until = Date.parse(certificateUntil)
  return [
    ...incidents.map(({ id, what }) => ({ id: `incident:${id}`, what, path: SYSTEM })),
    ...(units.link === 'up' ? [] : [{ id: 'line', what: words.line(units.link), path: SYSTEM }]),
    ...(disk.state === 'ok' ? [] : [{ id: 'disk', what: words.disk[disk.state], path: SYSTEM }]),
    ...(until - now > CERTIFICATE_MS
      ? []
      : [{ id: 'certificate', what: words.certificateEnds(dateWords(until)), path: SYSTEM }]),
    ...(units.withoutPlace === 0 ? [] : [{ id: 'place', what: words.withoutPlace(units.withoutPlace), path: ROOMS }]),
  ]
}
