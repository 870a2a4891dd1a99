import type { Identity } from '../auth/authenticator.ts'
import { type ConfirmedCall, type Confirmations, WRONG_CODES_MAX } from '../auth/agents/confirmations.ts'
import type { ExposedDevice, ExposedScene } from '../exposure/exposed-house.ts'
import type { House } from '../home/house/house.ts'
import type { UnitIdentities } from '../home/house/unit-identities.ts'
import { commandWords } from '../home/words/commands.ts'
import { entranceWords, openingsOf, openingsWords } from '../home/words/openings.ts'
import type { Cause } from '../home/model/events.ts'
import { type DeviceKey, opensEntrance, parseDeviceKey, type Command } from '../home/model/device.ts'
import type { Scene, Step } from '../home/model/house.ts'
import type { OpeningPolicy } from '../home/ports/unit-bus.ts'
import { entrancesOf, openedBy } from '../home/rules/openers.ts'
import { refuseStaleSession } from './admission.ts'
import type { Refuse } from './errors.ts'
import type { RefusalDetails } from '../wire/errors.ts'

/** Who asks: `code` is what a person may have entered for this call. */
export interface OpeningCall {
  readonly identity: Identity
  readonly cause: Cause
  readonly code?: string | undefined
  readonly refuse: Refuse<'unlock_not_allowed' | 'confirmation_required' | 'rate_limited'>
}

/** No knob of the caller's integration helps against these two. */
const NOT_FOR_AGENTS: RefusalDetails = {
  message:
    'An agent may not save what opens a lock or gate, because a person has to confirm each opening. A person can make it in the app.',
  appAction: null,
}
const LAPSED: RefusalDetails = {
  message:
    'This scene opens a lock or gate, and whoever saved its steps may not open any more. Somebody who may has to save its steps again.',
  appAction: null,
}

const HALFWAY =
  'This run opens a lock or gate, and stopping it could leave that open. An administrator can allow it with allow_unlock.'

interface UnlockingParts {
  readonly house: House
  /** Since when an id names the unit that it names now, epoch ms. */
  readonly identities: Pick<UnitIdentities, 'since'>
  /** Answers whether a person has confirmed the call, and asks one where none has; or only looks (`not_asked`). */
  readonly confirmations: { take(call: ConfirmedCall, code: string | null): ReturnType<Confirmations['look']> }
  readonly opening: OpeningPolicy
  /** True for a dry run: it saves nothing, so a person need not show a proof for it. */
  readonly savesNothing?: boolean
}

/**
 * Spec 4 rule 2, in one place for all ways to open an entrance: by control, by a scene, and by saving what will do it
 * later. With allow_unlock off nothing that goes through an integration opens; an agent needs a person's confirmation
 * each time, a key does not. Steps that the integration cannot see count too
 * (docs/automations.md#opening-an-entrance-by-a-scene).
 */
export class Unlocking {
  readonly #parts: UnlockingParts

  constructor(parts: UnlockingParts) {
    this.#parts = parts
  }

  /**
   * The cause with which a command may go on. A person confirms the command as the gateway parsed it, however the agent
   * wrote it, of a device that is told by more than the name that an agent may be allowed to change.
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

  /** The cause with which a scene may run. A confirmation holds for one revision of the scene. */
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
   * Refuses to save steps that open something. An agent never may, because one confirmation allows one opening; a
   * person in the console may with a fresh proof, because no revocation reaches what a person saved.
   */
  save(
    steps: readonly Step[],
    { identity, refuse }: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
  ): void {
    const against = this.againstSaving(steps, identity)
    if (against !== null) refuse('unlock_not_allowed', against)
    this.refuseStale(steps, identity)
  }

  /** Refuses to save steps that open something to a person whose session showed no proof lately. */
  refuseStale(steps: readonly Step[], identity: Pick<Identity, 'isStale'>): void {
    if (this.#parts.savesNothing !== true && this.#openedBy(steps).length > 0) refuseStaleSession(identity)
  }

  /** Why somebody may not save these steps; null: they may. */
  againstSaving(steps: readonly Step[], { integration, credential }: Identity): RefusalDetails | null {
    if (this.#openedBy(steps).length === 0) return null
    if (integration.knobs.allow_unlock === 'off') return {}
    return credential.kind === 'key' ? null : NOT_FOR_AGENTS
  }

  /**
   * Refuses to end a run halfway that opens something: what its later steps close again would stay open. Nothing is
   * opened by it, so no confirmation is asked for.
   */
  stop(
    steps: readonly Step[],
    { identity, refuse }: { readonly identity: Identity; readonly refuse: Refuse<'unlock_not_allowed'> },
  ): void {
    if (identity.integration.knobs.allow_unlock === 'off' && this.#openedBy(steps).length > 0)
      refuse('unlock_not_allowed', { message: HALFWAY })
  }

  /**
   * A scene counts as a whole: while who saved it may not open, it is not run at all, which is told before anybody is
   * asked.
   */
  #refuseLapsed({ author }: Scene, { identity, refuse }: OpeningCall): void {
    if (author === null || identity.integration.knobs.allow_unlock === 'off') return
    if (this.#parts.opening.refusalOf(author) !== null) refuse('unlock_not_allowed', LAPSED)
  }

  #allowed(opening: Omit<ConfirmedCall, 'link'>, { identity, cause, code, refuse }: OpeningCall): Cause {
    const { integration, credential } = identity
    if (integration.knobs.allow_unlock === 'off') refuse('unlock_not_allowed')
    if (credential.kind === 'key') return cause
    const taken = this.#parts.confirmations.take({ link: credential.link, ...opening }, code ?? null)
    if (taken.kind !== 'confirmed') return refuseUnconfirmed(taken, refuse)
    return { ...cause, confirmedBy: taken.by }
  }

  /** A confirmation is for the unit that was there: the next one behind the id needs its own. */
  #deviceSubject(key: DeviceKey): string {
    const since = this.#parts.identities.since(parseDeviceKey(key).unit)
    return since === 0 ? key : `${key}@${since}`
  }

  #openedBy(steps: readonly Step[]): readonly string[] {
    return openedBy(steps, entrancesOf(this.#parts.house))
  }
}

/** A scene as it is now, as the subject of a confirmation. */
export const sceneSubject = ({ id, revision }: Pick<Scene, 'id' | 'revision'>): string => `scene:${id}@${revision}`

/** Whether a confirmation of this subject opens a lock or gate of these units, by a scene or by itself. */
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

/** Why an opening waits for a person, or will not happen; only the id is told, never the code. */
function refuseUnconfirmed(
  taken: Exclude<ReturnType<Confirmations['look']>, { kind: 'confirmed' }>,
  refuse: OpeningCall['refuse'],
): never {
  switch (taken.kind) {
    case 'not_asked':
      return refuse('confirmation_required', {
        message: 'A person will have to confirm this, each time that it is asked for.',
      })
    case 'asked':
      return refuse('confirmation_required', {
        message: `A person has to confirm this: administrators were told of ${taken.id}. Tell the user; once an administrator has confirmed ${taken.id}, send the same call again within 2 minutes.`,
      })
    case 'wrong_code':
      return refuse('confirmation_required', {
        message: `That is not the code which administrators are shown for ${taken.id}. Never guess one: ask the user.`,
      })
    case 'declined':
      return refuse('confirmation_required', {
        message: `${
          taken.byCodes
            ? `${WRONG_CODES_MAX} wrong codes have declined ${taken.id}`
            : `An administrator has declined ${taken.id}`
        }. Do not ask again: tell the user.`,
        retryAfter: taken.retryAfter,
      })
    case 'too_many':
      return refuse('rate_limited', {
        message: 'Too many openings wait for a person, or too many codes were tried. Tell the user, and wait.',
        retryAfter: taken.retryAfter,
      })
  }
}
