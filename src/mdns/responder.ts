import { BlockList } from 'node:net'
import type { LanAddress } from '../lib/addresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { ConflictWatch } from './conflict-watch.ts'
import { EchoCheck } from './echo-check.ts'
import { additionsFor, answersTo, hostName, instanceName, recordKey, recordsFor } from './records.ts'
import type { HeardRecord, OwnRecord, Service } from './records.ts'
import type { MdnsPacket, MdnsSocket, QuestionType, Sender } from './socket.ts'

export interface ResponderOptions {
  readonly socket: MdnsSocket
  readonly service: Service
  /** The addresses of one interface, at least one of them IPv4. */
  readonly addresses: readonly LanAddress[]
  /** The port of the protocol; who asks from another one understands plain DNS only. */
  readonly port: number
  readonly conflicts: ConflictWatch
  readonly clock: Clock
  readonly random: Random
  /** The network works: the announcements are out. */
  readonly onAnnounced: () => void
  /** The network carried one of the responder's own packets. */
  readonly onEcho: () => void
  /** The network does not carry the responder's own packets; the caller opens another socket. */
  readonly onUnheard: () => void
}

/** RFC 6762 section 8: three questions a quarter of a second apart, then two announcements a second apart. */
const PROBES = 3
const PROBE_GAP_MS = 250
const ANNOUNCEMENTS = 2
const ANNOUNCE_GAP_MS = 1000
/**
 * Section 6: answers that others may give too wait 20 to 120 ms; where more known answers are to come, 400 to 500 ms.
 */
const SHARED_WAIT_MS = 20
const MORE_TO_COME_MS = 400
const SPREAD_MS = 100
/** Section 6: no record is sent to the group twice within a second (a quarter when somebody probes for our name). */
const REPEAT_MS = 1000
const DEFENCE_MS = 250
/** Section 6.7: what a plain DNS client may keep. */
const LEGACY_TTL_S = 10

const TRUNCATED_FLAG = 0x0200
/**
 * Internet or any; the library shows the bit that asks for a unicast answer as part of the number. The group is
 * answered all the same.
 */
const CLASSES: readonly string[] = ['IN', 'ANY', 'UNKNOWN_32769', 'UNKNOWN_33023']
/** The library knows this question, its typings do not. */
const ANY_TYPE = 'ANY' as unknown as QuestionType

/**
 * Speaks for the service on one network: asks whether the names are free, announces them, answers, and says goodbye.
 */
export class Responder {
  readonly #inside: ResponderOptions
  #records: readonly OwnRecord[]
  readonly #near: BlockList
  #state: 'probing' | 'announced' | 'ended' = 'probing'
  readonly #sentAt = new Map<string, number>()
  /** Answers that wait, with who asked; null when several did. */
  readonly #pending = new Map<OwnRecord, string | null>()
  #cancelAnswer: (() => void) | null = null
  #cancelNext: () => void = () => {}
  readonly #echo: EchoCheck

  constructor(options: ResponderOptions) {
    this.#inside = options
    this.#records = recordsFor(options.service, options.addresses)
    this.#near = nearBy(options.addresses)
    options.conflicts.own(this.#records)
    this.#echo = new EchoCheck({
      clock: options.clock,
      query: () => this.#ask(this.#claimed(), []),
      onUnheard: options.onUnheard,
    })
  }

  start(): void {
    this.#cancelNext = this.#inside.clock.after(this.#spread(PROBE_GAP_MS), () => this.#probe(1))
  }

  /** The port, the fingerprint or the interface's further addresses changed. */
  update(service: Service, addresses: readonly LanAddress[]): void {
    const old = this.#records
    this.#records = recordsFor(service, addresses)
    this.#inside.conflicts.own(this.#records)
    const kept = new Set(this.#records.map(recordKey))
    const gone = old.filter((record) => !kept.has(recordKey(record)))
    if (this.#state !== 'announced' || (gone.length === 0 && old.length === this.#records.length)) return
    this.#pending.clear()
    this.#sentAt.clear()
    this.#cancelNext()
    this.#announce(1, gone)
  }

  /** Stops answering. @param polite takes all records back first; resolves when the goodbye has left. */
  async end(polite: boolean): Promise<void> {
    const announced = this.#state === 'announced'
    this.#state = 'ended'
    this.#cancelNext()
    this.#cancelAnswer?.()
    this.#echo.stop()
    if (polite && announced) await this.#inside.socket.send({ type: 'response', answers: this.#records.map(goodbye) })
  }

  hear(packet: MdnsPacket, from: Sender): void {
    if (this.#state === 'ended' || !this.#near.check(from.address, 'ipv4')) return
    if (this.#isEcho(packet, from)) {
      this.#echo.heard()
      this.#inside.onEcho()
      return
    }
    // A question with an authority section is another program's probe; that section holds the records it is about to
    // claim.
    const claims =
      packet.type === 'response'
        ? [...(packet.answers ?? []), ...(packet.additionals ?? [])]
        : (packet.authorities ?? [])
    this.#inside.conflicts.onClaims(claims, from.address)
    if (packet.type === 'query' && this.#state === 'announced') this.#hearQuery(packet, from)
  }

  /** Other programs of this machine speak from the same address, about other names. */
  #isEcho({ questions = [], answers = [] }: MdnsPacket, from: Sender): boolean {
    const { port, addresses, service } = this.#inside
    const own = instanceName(service.serial)
    return (
      from.port === port &&
      addresses.some(({ address }) => address === from.address) &&
      [...questions, ...answers].some(({ name }) => name === own)
    )
  }

  #hearQuery(packet: MdnsPacket, from: Sender): void {
    const questions = (packet.questions ?? []).filter((question) => CLASSES.includes(question.class ?? 'IN'))
    const asked = new Set(questions.flatMap((question) => answersTo(question, this.#records)))
    if (from.port !== this.#inside.port) {
      if (asked.size > 0) void this.#answerLegacy(packet, [...asked], from)
      return
    }
    for (const record of asked) this.#pending.set(record, this.#pending.has(record) ? null : from.address)
    this.#forgetKnown(packet.answers ?? [], from)
    if (this.#pending.size === 0 || asked.size === 0) return
    const probed = (packet.authorities ?? []).length > 0
    const truncated = ((packet.flags ?? 0) & TRUNCATED_FLAG) !== 0
    const shared = [...asked].some((record) => !record.flush)
    const wait = truncated
      ? MORE_TO_COME_MS + this.#spread(SPREAD_MS)
      : shared
        ? SHARED_WAIT_MS + this.#spread(SPREAD_MS)
        : 0
    if (wait === 0) this.#answer(probed ? DEFENCE_MS : REPEAT_MS)
    else this.#cancelAnswer ??= this.#inside.clock.after(wait, () => this.#answer(REPEAT_MS))
  }

  /** Known-answer suppression: leaves out records that the querier lists with at least half of their time to live. */
  #forgetKnown(known: readonly HeardRecord[], from: Sender): void {
    for (const heard of known) {
      const key = recordKey(heard)
      for (const [record, asker] of this.#pending) {
        if (asker === from.address && recordKey(record) === key && (heard.ttl ?? 0) * 2 >= record.ttl)
          this.#pending.delete(record)
      }
    }
  }

  #answer(repeatMs: number): void {
    this.#cancelAnswer?.()
    this.#cancelAnswer = null
    const now = this.#inside.clock.monotonic()
    const rested = (record: OwnRecord): boolean =>
      now - (this.#sentAt.get(recordKey(record) ?? '') ?? -Infinity) >= repeatMs
    const answers = [...this.#pending.keys()].filter(rested)
    this.#pending.clear()
    if (answers.length > 0) void this.#tell(answers, additionsFor(answers, this.#records).filter(rested))
  }

  #answerLegacy(packet: MdnsPacket, asked: readonly OwnRecord[], from: Sender): Promise<boolean> {
    const plain = (record: OwnRecord): OwnRecord => ({
      ...record,
      ttl: Math.min(record.ttl, LEGACY_TTL_S),
      flush: false,
    })
    const answers = asked.filter((record) => record.type !== 'NSEC')
    if (answers.length === 0) return Promise.resolve(true)
    return this.#inside.socket.send(
      {
        type: 'response',
        id: packet.id ?? 0,
        // Only questions that were understood: the library may fail to encode an unusual name.
        questions: (packet.questions ?? [])
          .filter((one) => answersTo(one, asked).length > 0)
          .map(({ name, type }) => ({ name, type })),
        answers: answers.map(plain),
        additionals: additionsFor(answers, this.#records)
          .filter((record) => record.type !== 'NSEC')
          .map(plain),
      },
      from,
    )
  }

  #probe(turn: number): void {
    const { clock } = this.#inside
    if (turn > PROBES) {
      this.#state = 'announced'
      this.#announce(1, [])
      return
    }
    this.#ask([], this.#claimed())
    this.#cancelNext = clock.after(PROBE_GAP_MS, () => this.#probe(turn + 1))
  }

  /** Asks for both names. @param known records that others need not answer with */
  #ask(known: readonly OwnRecord[], claimed: readonly OwnRecord[]): void {
    const { service, socket } = this.#inside
    const names = [instanceName(service.serial), hostName(service.serial)]
    void socket.send({
      type: 'query',
      questions: names.map((name) => ({ name, type: ANY_TYPE })),
      answers: [...known],
      authorities: [...claimed],
    })
  }

  /** The records that are the gateway's alone, in the form for a question: without the cache-flush bit. */
  #claimed(): readonly OwnRecord[] {
    return this.#records
      .filter((record) => record.flush && record.type !== 'NSEC')
      .map((record) => ({ ...record, flush: false }))
  }

  #announce(turn: number, gone: readonly OwnRecord[]): void {
    const told = this.#tell([...gone.map(goodbye), ...this.#records], [])
    if (turn === ANNOUNCEMENTS) {
      void this.#announced(told)
      return
    }
    this.#cancelNext = this.#inside.clock.after(ANNOUNCE_GAP_MS, () => this.#announce(turn + 1, []))
  }

  async #announced(told: Promise<boolean>): Promise<void> {
    if (!(await told) || this.#state === 'ended') return
    this.#echo.start()
    this.#inside.onAnnounced()
  }

  #tell(answers: readonly OwnRecord[], additionals: readonly OwnRecord[]): Promise<boolean> {
    const now = this.#inside.clock.monotonic()
    for (const record of [...answers, ...additionals]) this.#sentAt.set(recordKey(record) ?? '', now)
    return this.#inside.socket.send({ type: 'response', answers: [...answers], additionals: [...additionals] })
  }

  #spread(ms: number): number {
    return this.#inside.random.bytes(2).readUInt16BE() % ms
  }
}

/**
 * The record with time to live 0, so that others forget it; without the cache-flush bit, which would remove new records
 * too.
 */
function goodbye(record: OwnRecord): OwnRecord {
  return { ...record, ttl: 0, flush: false }
}

/**
 * The networks of the interface: a question from elsewhere is not answered, because answers could be used to flood
 * somebody.
 */
function nearBy(addresses: readonly LanAddress[]): BlockList {
  const near = new BlockList()
  for (const { family, address, cidr } of addresses) {
    if (family === 4) near.addSubnet(address, Number(cidr.split('/')[1]), 'ipv4')
  }
  return near
}
