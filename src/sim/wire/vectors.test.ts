import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  CAPABILITIES,
  type Command,
  type OwnSchedule,
  type Report,
  type State,
  type UnitInfo,
} from '../model/bus-types.ts'
import { REQUEST, type RequestName, decodeRequest } from './messages.ts'
import { encodeFrame, FrameReader, frameOf, KIND, type Discard, type Frame, type Kind } from './frame.ts'
import {
  capabilitiesReply,
  done,
  encodeReply,
  encodeReport,
  groupReply,
  helloReply,
  listReply,
  registersReply,
  schedulesReply,
  statesReply,
  stateReply,
  unitReply,
  type Hello,
  type MemberResult,
  type Reply,
} from './replies.ts'

/** The documented vectors; the fields of a message depend on its name. */
interface Vector {
  readonly name: string
  readonly direction: 'host_to_adapter' | 'adapter_to_host'
  readonly hex: string
  readonly frame: {
    readonly kind: keyof typeof KIND
    readonly session: number
    readonly seq: number
    readonly message?: DocumentedMessage
  }
}
// oxlint-disable-next-line typescript/no-explicit-any -- the fields depend on the name; the tests hold each one to the bytes
type DocumentedMessage = { type: 'request' | 'reply' | 'report'; name: string } & Record<string, any>

interface Vectors {
  readonly frames: readonly Vector[]
  readonly streams: readonly {
    readonly name: string
    readonly hex: string
    readonly found: readonly string[]
    readonly discarded: readonly string[]
  }[]
  readonly badMessages: readonly {
    readonly name: string
    readonly direction: string
    readonly hex: string
    readonly why: string
  }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../../docs/hmhc-vectors.json', import.meta.url), 'utf8'))
const named = (test: (vector: Vector) => boolean): [string, Vector][] =>
  vectors.frames.filter(test).map((vector) => [vector.name, vector])

function receive(hex: string): { frames: Frame[]; discarded: Discard[] } {
  const frames: Frame[] = []
  const discarded: Discard[] = []
  new FrameReader(
    (frame) => frames.push(frame),
    (why) => discarded.push(why),
  ).push(Buffer.from(hex, 'hex'))
  return { frames, discarded }
}

function onlyFrame(hex: string): Frame {
  const { frames, discarded } = receive(hex)
  expect(discarded).toEqual([])
  expect(frames).toHaveLength(1)
  return frames[0] ?? frameOf(KIND.ack, 0, 0)
}

describe('frames of the documented vectors', () => {
  it.each(named(() => true))('reads and writes "%s"', (_, { hex, frame }) => {
    const read = onlyFrame(hex)
    const kind: Kind = KIND[frame.kind]
    expect({ kind: read.kind, session: read.session, seq: read.seq }).toEqual({
      kind,
      session: frame.session,
      seq: frame.seq,
    })
    expect(encodeFrame(read).toString('hex')).toBe(hex)
  })

  it.each(vectors.streams.map((stream) => [stream.name, stream] as const))(
    'finds the sound frames in "%s"',
    (_, { hex, found, discarded }) => {
      const seen = receive(hex)
      const wanted = found.map((name) => vectors.frames.find((vector) => vector.name === name)?.hex)
      expect(seen.frames.map((frame) => encodeFrame(frame).toString('hex'))).toEqual(wanted)
      expect(seen.discarded).toEqual(discarded)
    },
  )
})

describe('messages of the documented vectors', () => {
  it.each(named(({ direction, frame }) => direction === 'host_to_adapter' && frame.kind === 'data'))(
    'understands "%s"',
    (_, { hex, frame }) => {
      expect(decodeRequest(onlyFrame(hex).payload)).toEqual(requestOf(frame.message ?? never()))
    },
  )

  it.each(named(({ frame }) => frame.message?.type === 'reply'))('says "%s"', (_, { hex, frame }) => {
    const message = frame.message ?? never()
    const code = REQUEST[message.name as RequestName]
    expect(encodeReply(code, message['request'], replyOf(message)).toString('hex')).toBe(
      onlyFrame(hex).payload.toString('hex'),
    )
  })

  it.each(named(({ frame }) => frame.message?.type === 'report'))('sends "%s"', (_, { hex, frame }) => {
    expect(encodeReport(reportOf(frame.message ?? never())).toString('hex')).toBe(
      onlyFrame(hex).payload.toString('hex'),
    )
  })

  it.each(
    vectors.badMessages
      .filter(({ direction }) => direction === 'host_to_adapter')
      .map((bad) => [bad.name, bad] as const),
  )('refuses "%s"', (_, { hex, why }) => {
    expect(decodeRequest(onlyFrame(hex).payload)).toMatchObject({ bad: why })
  })
})

const never = (): never => {
  throw new Error('the vector has no message')
}

function requestOf(documented: DocumentedMessage): object {
  const { type: _type, ...message } = documented
  if (message['members']) return { ...message, members: message['members'].map(memberOf) }
  return message['command'] ? memberOf(message) : message
}

const memberOf = ({
  command,
  ...rest
}: Record<string, unknown> & { command?: { op: string; args?: object } }): object => ({
  ...rest,
  command: commandOf(command),
})
const commandOf = (command?: { op: string; args?: object }): Command =>
  ({ op: command?.op, ...command?.args }) as Command
const stateOf = (documented: { class: string; state: object }): State =>
  ({ class: documented.class, ...documented.state }) as State
const unitOf = (documented: { firmware: string }): UnitInfo =>
  ({ ...documented, firmware: documented.firmware.split('.').map(Number) }) as unknown as UnitInfo

function replyOf(message: DocumentedMessage): Reply {
  const { result } = message
  if (result !== 'done') return message as unknown as Reply
  switch (message.name) {
    case 'hello':
      return helloReply({ ...message, firmware: message['firmware'].split('.').map(Number) } as unknown as Hello)
    case 'list_units':
      return listReply(message['units'].map(unitOf), message['next'] !== 0)
    case 'capabilities':
      return capabilitiesReply(
        message['units'].map(({ address, bits }: { address: number; bits: number }) => ({
          address,
          capabilities: CAPABILITIES.filter((_, bit) => (bits & (1 << bit)) !== 0),
        })),
      )
    case 'unit_info':
      return unitReply(unitOf(message['unit']))
    case 'control':
      return stateReply(stateOf(message as never))
    case 'read_state':
      return statesReply(
        message['states'].map((entry: { gang: number; class: string; state: object }) => ({
          gang: entry.gang,
          state: stateOf(entry),
        })),
      )
    case 'group_control':
      return groupReply(message['results'].map(memberResultOf))
    case 'read_registers':
    case 'write_registers':
      return registersReply(message['registers'])
    case 'read_schedules':
      return schedulesReply(message['schedules'].map(scheduleOf))
    default:
      return done()
  }
}

const memberResultOf = (documented: DocumentedMessage): MemberResult => {
  const outcome = documented['result'] === 'done' ? { result: 'done', state: stateOf(documented as never) } : documented
  return { address: documented['address'], gang: documented['gang'], outcome: outcome as MemberResult['outcome'] }
}

function scheduleOf(documented: DocumentedMessage): OwnSchedule {
  const [hour = 0, minute = 0] = documented['time'].split(':').map(Number)
  const days = documented['days'].reduce((bits: number, day: number) => bits | (1 << (day - 1)), 0)
  return {
    slot: documented['slot'],
    enabled: documented['enabled'],
    gang: documented['gang'],
    days,
    minute: hour * 60 + minute,
    command: commandOf(documented['command']),
  }
}

function reportOf(message: DocumentedMessage): Report {
  const documented = { ...message, kind: message.name }
  if (message.name === 'state_changed') return { ...documented, state: stateOf(message as never) } as unknown as Report
  return (message['unit'] ? { ...documented, unit: unitOf(message['unit']) } : documented) as unknown as Report
}
