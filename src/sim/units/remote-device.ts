import { refuse, type Command, type Outcome, type RemoteKey, type State } from '../bus-types.ts'
import type { Device } from './device.ts'

/** An IR remote: sends keys to a television and a stereo that never answer. */
export class RemoteDevice implements Device {
  readonly gang = null
  readonly class = 'ir_remote'
  readonly roomId: string | null
  #key: RemoteKey | null = null
  /** Keys sent so far. */
  sent = 0

  constructor(roomId: string | null) {
    this.roomId = roomId
  }

  state(): State {
    return { class: 'ir_remote', key: this.#key }
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    if (command.op !== 'key') return done(refuse('not_offered'))
    this.#key = command.key
    this.sent++
    done({ result: 'done', state: this.state() })
  }
}
