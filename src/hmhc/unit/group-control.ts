import type { GroupItem, Requester, BusFailure, Priority, UnitTarget } from '../../home/ports/unit-bus.ts'
import type { DeviceState } from '../../home/model/device.ts'
import { fail, type Result } from '../../lib/result.ts'
import type { SendOptions } from '../exchange/exchange.ts'
import type { ExchangeRunner } from '../exchange/exchange-runner.ts'
import type { DoneOf } from '../message/messages.ts'
import type { ClassedState } from '../message/state-codec.ts'
import { NO_ANSWER, type UnitRequests } from './unit-requests.ts'

/** One group frame: its items. */
type GroupFrame = readonly { readonly index: number; readonly item: GroupItem }[]

/**
 * Distributes items over as few frames as their order allows: at most `membersMax` in one. A repeated device goes to a
 * later frame, so that its commands run in the requested order.
 */
function groupFrames(items: GroupFrame, membersMax: number): GroupFrame[] {
  const frames: { index: number; item: GroupItem }[][] = []
  const lastFrameOf = new Map<string, number>()
  for (const entry of items) {
    const { address, gang } = entry.item.target
    const device = `${address}:${gang}`
    let at = (lastFrameOf.get(device) ?? -1) + 1
    while ((frames[at]?.length ?? 0) >= membersMax) at += 1
    lastFrameOf.set(device, at)
    ;(frames[at] ??= []).push(entry)
  }
  return frames
}

type Answer = Result<DeviceState, BusFailure>
type MemberResult = DoneOf<'group_control'>['results'][number]
type Check = (target: UnitTarget, state: ClassedState) => Answer

type GroupOptions = Required<Pick<SendOptions, 'priority' | 'asker'>>

/** Number of waiting frames per call, so that a long list alone never exceeds its asker's bound. */
export const FRAMES_WAITING_MAX = 32

interface GroupControlParts {
  readonly exchange: ExchangeRunner
  readonly requests: UnitRequests
  readonly control: (item: GroupItem, priority: Priority, asker: Requester) => Promise<Answer>
}

/** Sends many operations in as few radio frames as possible, with a result for each. */
export class GroupControl {
  readonly #parts: GroupControlParts

  constructor(parts: GroupControlParts) {
    this.#parts = parts
  }

  /** @param check tests if a confirmed state fits its device. Returns results by the items' index. */
  async send(items: GroupFrame, options: GroupOptions, check: Check): Promise<Map<number, Answer>> {
    const answers = new Map<number, Answer>()
    const awake = items.filter(({ index, item }) => {
      const failure = this.#parts.requests.failsFast(item.target.address)
      if (failure) answers.set(index, fail(failure))
      return failure === null
    })
    const frames = groupFrames(awake, this.#parts.exchange.hello?.groupMax ?? 1)
    const left = frames.values()
    const send = async (): Promise<void> => {
      for (const frame of left) await this.#sendFrame(frame, options, check, answers)
    }
    await Promise.all(Array.from({ length: FRAMES_WAITING_MAX }, send))
    return answers
  }

  async #sendFrame(
    frame: GroupFrame,
    options: GroupOptions,
    check: Check,
    answers: Map<number, Answer>,
  ): Promise<void> {
    const [only] = frame
    if (only !== undefined && frame.length === 1) {
      answers.set(only.index, await this.#parts.control(only.item, options.priority, options.asker))
      return
    }
    const members = frame.map(({ item }) => ({ ...item.target, command: item.command }))
    const reply = await this.#parts.exchange.send<'group_control'>({ name: 'group_control', members }, options)
    if (!reply.ok) {
      this.#parts.requests.cutOff(
        reply.error,
        members.map(({ address }) => address),
      )
      const failure = this.#parts.requests.noReply(reply.error, [])
      for (const { index } of frame) answers.set(index, fail(failure))
    } else if (reply.value.result === 'done') {
      for (const [at, { index, item }] of frame.entries())
        answers.set(index, this.#memberAnswer(item.target, reply.value.results[at], check))
    } else {
      for (const { index, item } of frame)
        answers.set(index, fail(this.#parts.requests.notDone(item.target.address, reply.value)))
    }
  }

  #memberAnswer(target: UnitTarget, result: MemberResult | undefined, check: Check): Answer {
    // Results come in the order of the members; a misplaced result answers none of them.
    if (result === undefined || result.address !== target.address || result.gang !== target.gang) return fail(NO_ANSWER)
    if (result.result !== 'done') return fail(this.#parts.requests.notDone(target.address, result))
    this.#parts.requests.answered(target.address)
    return check(target, result)
  }
}
