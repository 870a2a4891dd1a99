import type { Identity } from '../auth/authenticator.ts'
import { type ConfirmedCall, type Confirmations, WRONG_CODES_MAX } from '../auth/agents/confirmations.ts'
import type { ExposedDevice, ExposedScene } from '../exposure/exposed-house.ts'
import { isOfPeople } from '../exposure/integration.ts'
import type { House } from '../home/house/house.ts'
import type { UnitIdentities } from '../home/house/unit-identities.ts'
import { commandWords } from '../home/words/commands.ts'
import { entranceWords, openingsOf, openingsWords } from '../home/words/openings.ts'
import type { Cause } from '../home/model/events.ts'
import { type DeviceKey, opensEntrance, parseDeviceKey, type Command } from '../home/model/device.ts'
import type { Scene } from '../home/model/house.ts'
import type { NamedRule } from '../home/model/rule-parts.ts'
import type { Step } from '../home/model/rules.ts'
import type { OpeningPolicy } from '../home/ports/unit-bus.ts'
import { entrancesOf, openedEntrances } from '../home/rules/openers.ts'
import { refuseStaleSession } from './admission.ts'
import type { Refuse } from './errors.ts'
import type { RefusalDetails } from '../wire/errors.ts'

/** Caller of an opening; `code` is the code that a person may have entered. */
export interface OpeningCall {
  readonly identity: Identity
  readonly cause: Cause
  readonly code?: string | undefined
  readonly refuse: Refuse<'unlock_not_allowed' | 'confirmation_required' | 'rate_limited'>
}

/** Refusals that no knob of the caller's integration prevents. */
const NOT_FOR_AGENTS: RefusalDetails = {
  message:
    'An agent may not save steps that open a lock or gate, because a person has to confirm each opening. A person can save them in the app.',
  appAction: null,
}
const ASKED_EACH_TIME: RefusalDetails = {
  message:
    'Steps that open a lock or gate cannot be saved, because an administrator confirms each opening. An administrator can save them.',
  appAction: null,
}
const NOT_FOR_TABLETS: RefusalDetails = {
  message:
    'A wall tablet may not save steps that open a lock or gate, because each opening needs its PIN. An administrator can save them.',
  appAction: null,
}
const ENTER_PIN = 'Enter the PIN of this tablet, then try again within 30 seconds.'
const BY_PIN = 'the PIN of the tablet'
const LAPSED: RefusalDetails = {
  message:
    'This scene opens a lock or gate, and the author of its steps may no longer open it. Somebody who may open it has to save the steps again.',
  appAction: null,
}

const HALFWAY =
  'This run opens a lock or gate, and stopping it could leave it open. An administrator can allow it with allow_unlock.'

interface UnlockingParts {
  readonly house: House
  readonly ruleOf: NamedRule
  /** Time since which an id names its current unit, epoch ms. */
  readonly identities: Pick<UnitIdentities, 'since'>
  /** Takes a confirmation, or asks a person for one. The dry run's version only looks (`not_asked`). */
  readonly confirmations: { useOrRequest(call: ConfirmedCall, code: string | null): ReturnType<Confirmations['peek']> }
  readonly opening: OpeningPolicy
  /** True for a dry run: it saves nothing, so a person needs no fresh proof. */
  readonly savesNothing?: boolean
}

/**
 * Spec 4 rule 2 for all ways to open an entrance: by control, by a scene, and by saving steps that will open it later.
 * With allow_unlock off, nothing opens through an integration. With it on, a key may open, unless its integration asks
 * each time. An agent needs a person's confirmation each time. Steps that the integration cannot see count too
 * (docs/automations.md#opening-an-entrance-by-a-scene).
 */
export class Unlocking {
  readonly #parts: UnlockingParts

  constructor(parts: UnlockingParts) {
    this.#parts = parts
  }

  /**
   * Cause of an allowed command. The person confirms the command as the gateway parsed it. The device is described by
   * more than its name, because an agent may be allowed to rename it.
   */
  control(device: ExposedDevice, command: Command, call: OpeningCall): Cause {
    if (!opensEntrance(device.class, command.op)) return call.cause
    const { op, ...rest } = command
    const what = `${commandWords(command)} ${entranceWords(device)}`
    return this.#allowed(
      { subject: this.#deviceSubject(device.key), op, args: 'args' in rest ? rest.args : null, what },
      call,
    )
  }

  /** Cause of an allowed run of a scene. A confirmation holds for one revision of the scene. */
  run(scene: ExposedScene, call: OpeningCall): Cause {
    const stored = this.#parts.house.scenes.get(scene.local)
    if (!stored) return call.cause
    const openings = openingsOf(stored.steps, (key) => this.#parts.house.devices.get(key))
    if (openings.length === 0) return call.cause
    const what = `run scene ${JSON.stringify(stored.name)}, which opens ${openingsWords(openings)}`
    this.#refuseLapsed(stored, call)
    return this.#allowed({ subject: sceneSubject(stored), op: 'run', args: null, what }, call)
  }

  /**
   * Refuses to save steps that open an entrance. An agent never may, because one confirmation allows one opening. A
   * person in the console needs a fresh proof, because no revocation reaches steps that a person saved.
   */
  save(
    steps: readonly Step[],
    { identity, refuse }: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
  ): void {
    const against = this.againstSaving(steps, identity)
    if (against !== null) refuse('unlock_not_allowed', against)
    this.refuseStale(steps, identity)
  }

  /** Refuses opening steps from a person whose session has no fresh proof. */
  refuseStale(steps: readonly Step[], identity: Pick<Identity, 'isStale'>): void {
    if (this.#parts.savesNothing !== true && this.#openedEntrances(steps).length > 0) refuseStaleSession(identity)
  }

  /** Reason why a caller may not save these steps; null if they may. */
  againstSaving(steps: readonly Step[], { integration, credential }: Identity): RefusalDetails | null {
    if (this.#openedEntrances(steps).length === 0) return null
    if (integration.knobs.allow_unlock === 'off') return {}
    if (credential.kind !== 'key') return NOT_FOR_AGENTS
    if (integration.kind === 'tablet') return NOT_FOR_TABLETS
    return integration.opening === 'ask' ? ASKED_EACH_TIME : null
  }

  /**
   * Refuses to stop a run that opens an entrance, because a later step may have to close it. Stopping opens nothing, so
   * it needs no confirmation.
   */
  stop(
    steps: readonly Step[],
    { identity, refuse }: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
  ): void {
    if (identity.integration.knobs.allow_unlock === 'off' && this.#openedEntrances(steps).length > 0)
      refuse('unlock_not_allowed', { message: HALFWAY })
  }

  /**
   * Refuses a scene whose author may no longer open, before anybody is asked for a confirmation. The scene counts as a
   * whole.
   */
  #refuseLapsed({ author }: Scene, { identity, refuse }: OpeningCall): void {
    if (author === null || identity.integration.knobs.allow_unlock === 'off') return
    if (this.#parts.opening.refusalOf(author) !== null) refuse('unlock_not_allowed', LAPSED)
  }

  #allowed(opening: Omit<ConfirmedCall, 'link'>, { identity, cause, code, refuse }: OpeningCall): Cause {
    const { integration, credential } = identity
    if (integration.knobs.allow_unlock === 'off') refuse('unlock_not_allowed')
    if (integration.kind === 'tablet' && credential.kind === 'key') return this.#byPin(identity, cause)
    if (opensAlone(identity)) return cause
    const link = isOfPeople(integration) && credential.kind === 'key' ? integration.id : credential.link
    const check = this.#parts.confirmations.useOrRequest({ link, ...opening }, code ?? null)
    if (check.kind !== 'confirmed') return refuseUnconfirmed(check, refuse)
    return { ...cause, confirmedBy: check.by }
  }

  /** A wall tablet opens within seconds of its PIN. */
  #byPin(identity: Identity, cause: Cause): Cause {
    refuseStaleSession(identity, { message: ENTER_PIN })
    return { ...cause, confirmedBy: BY_PIN }
  }

  /** Subject of a confirmation. It holds for the current unit only: a new unit behind the same id needs its own. */
  #deviceSubject(key: DeviceKey): string {
    const since = this.#parts.identities.since(parseDeviceKey(key).unit)
    return since === 0 ? key : `${key}@${since}`
  }

  #openedEntrances(steps: readonly Step[]): readonly string[] {
    return openedEntrances(steps, entrancesOf(this.#parts.house, this.#parts.ruleOf))
  }
}

/** True if a caller whose integration may open needs no confirmation. */
const opensAlone = ({ integration, credential }: Identity): boolean =>
  credential.kind === 'key' && integration.opening !== 'ask'

/** Subject of a confirmation for the current revision of a scene. */
export const sceneSubject = ({ id, revision }: Pick<Scene, 'id' | 'revision'>): string => `scene:${id}@${revision}`

/** True if a confirmation of this subject opens a lock or gate of these units, directly or by a scene. */
export function opensUnits(
  subject: string,
  units: ReadonlySet<string>,
  { scenes, devices }: Pick<House, 'scenes' | 'devices'>,
): boolean {
  const [first = '', id = ''] = subject.split(/[:@]/)
  if (first !== 'scene') return units.has(first)
  const openings = openingsOf(scenes.get(id)?.steps ?? [], (key) => devices.get(key))
  return openings.some(({ device }) => units.has(device.unit.id))
}

/** Refuses an opening that waits for a person or was declined. The refusal has the request's id, never the code. */
function refuseUnconfirmed(
  check: Exclude<ReturnType<Confirmations['peek']>, { kind: 'confirmed' }>,
  refuse: OpeningCall['refuse'],
): never {
  switch (check.kind) {
    case 'not_requested':
      return refuse('confirmation_required', {
        message: 'A person will have to confirm this each time.',
      })
    case 'requested':
      return refuse('confirmation_required', {
        message: `A person has to confirm this: administrators were notified of ${check.id}. Tell the user. After an administrator has confirmed ${check.id}, send the same call again within 2 minutes.`,
      })
    case 'wrong_code':
      return refuse('confirmation_required', {
        message: `This is not the code that administrators see for ${check.id}. Never guess a code: ask the user.`,
      })
    case 'declined':
      return refuse('confirmation_required', {
        message: `${
          check.byCodes
            ? `${WRONG_CODES_MAX} wrong codes have declined ${check.id}`
            : `An administrator has declined ${check.id}`
        }. Do not ask again: tell the user.`,
        retryAfter: check.retryAfter,
      })
    case 'too_many':
      return refuse('rate_limited', {
        message: 'Too many openings are waiting for a person, or too many codes were tried. Tell the user, and wait.',
        retryAfter: check.retryAfter,
      })
  }
}
