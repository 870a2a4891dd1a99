import { refusalAnswer } from '../api/dispatch.ts'
import { Refusal } from '../api/errors.ts'
import type { Via } from '../auth/credential.ts'
import type { McpDoor, McpDoorParts } from './door.ts'

/** The door of agents, made when the first one knocks: a home without any starts sooner and keeps the memory of the protocol's package. */
export class LateDoor {
  readonly #parts: McpDoorParts
  #door: McpDoor | null = null
  #stopped = false

  constructor(parts: McpDoorParts) {
    this.#parts = parts
  }

  async answer(request: Request, from: { readonly via: Via; readonly peer: string }): Promise<Response> {
    const { McpDoor: Door } = await import('./door.ts')
    if (this.#stopped) return stopping()
    this.#door ??= new Door(this.#parts)
    return this.#door.answer(request, from)
  }

  /** As `McpDoor.recheck`; before anybody knocked there is nothing to end. */
  recheck(): void {
    this.#door?.recheck()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#door?.stop()
  }
}

/** How long a client may wait before it looks whether the gateway is back. */
const RESTART_SECONDS = 5

function stopping(): Response {
  const { status, headers, body } = refusalAnswer(
    new Refusal('overloaded', { message: 'The gateway stops.', retryAfter: RESTART_SECONDS }),
  )
  return new Response(body?.toString(), { status, headers })
}
