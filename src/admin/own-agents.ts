import type { AgentRequest } from '../auth/agents/agent-request.ts'
import type { Confirmation } from '../auth/agents/confirmation.ts'
import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import { typedCode } from '../auth/agents/spoken-codes.ts'
import type { Credential, CredentialReader } from '../auth/credentials/credentials.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { House } from '../home/house/house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import { openingsOf } from '../home/words/openings.ts'
import { sceneSubject } from '../api/unlocking.ts'
import type { AdminCaller } from './dispatch.ts'

/** The view of a member; null for administrators, to whom everything belongs. */
export type OwnView = ExposedHouse | null

/** @throws Refusal while the member's record is closed */
export const ownViewOf = ({ member }: Pick<AdminCaller, 'member'>): OwnView => member && member.home().view

interface OwnParts {
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly house: Pick<House, 'devices' | 'scenes'>
}

/** True for a request of an agent for the member's record: it named the record, or was accepted for it. */
export function isOwnRequest({ record, decision }: AgentRequest, view: OwnView): boolean {
  return view === null || (decision?.grant?.integration ?? record) === view.integration.id
}

/** True if the typed text is the matching code of a request that named no record. */
export const isClaimed = ({ record, userCode }: AgentRequest, typed: string): boolean =>
  record === null && typedCode(typed) === userCode

/** True for an agent or session in the member's record. */
export function isOwnAgent(credential: Credential | undefined, view: OwnView): credential is Credential {
  if (credential === undefined || credential.kind === 'key') return false
  return view === null || credential.integration === view.integration.id
}

/**
 * True for an opening of a member's agent that the member may do alone. Administrators decide about a scene that
 * opens something hidden from the member, because its words name everything that it opens.
 */
export function isOwnOpening({ link, subject }: Confirmation, view: OwnView, parts: OwnParts): boolean {
  if (view === null) return true
  const { knobs, opening = 'yes' } = view.integration
  if (knobs.allow_unlock === 'off' || opening !== 'yes') return false
  return isOwnAgent(parts.credentials.get(link), view) && isSubjectShown(subject, view, parts.house)
}

function isSubjectShown(subject: string, view: ExposedHouse, { devices, scenes }: OwnParts['house']): boolean {
  const shows = (key: DeviceKey): boolean => view.byKey(key) !== undefined
  const scene = [...scenes.values()].find((candidate) => sceneSubject(candidate) === subject)
  if (scene === undefined) return shows(subject.split('@')[0] ?? '')
  const openings = openingsOf(scene.steps, (key) => devices.get(key))
  return view.showsScene(scene.id) && openings.every(({ device }) => shows(device.key))
}

/** Tells which live events belong to a reader; the end of an opening does if its beginning did. */
export class OwnEvents {
  readonly #parts: OwnParts
  readonly #openings = new Set<string>()

  constructor(parts: OwnParts) {
    this.#parts = parts
  }

  has(event: AccessEvent, view: OwnView): boolean {
    switch (event.kind) {
      case 'agent_request':
      case 'agent_request_ended':
        return isOwnRequest(event.request, view)
      case 'agent_ended':
        return isOwnAgent(event.credential, view)
      case 'confirmation':
        return this.#begins(event.confirmation, view)
      case 'confirmation_ended':
        return view === null || this.#openings.has(event.confirmation.id)
    }
  }

  #begins(confirmation: Confirmation, view: OwnView): boolean {
    const isOwn = isOwnOpening(confirmation, view, this.#parts)
    if (isOwn && view !== null) this.#openings.add(confirmation.id)
    return isOwn
  }
}
