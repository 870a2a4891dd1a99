import { BlockList } from 'node:net'
import type { LanAddress } from '../lib/lan-addresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { ConflictWatch } from './conflict-watch.ts'
import { EchoCheck } from './echo-check.ts'
import { additionsFor, answersTo, hostName, instanceName, recordKey, recordsFor } from './dns-records.ts'
import type { HeardRecord, OwnRecord, Service } from './dns-records.ts'
import type { MdnsPacket, MdnsSocket, QuestionType, PacketSender } from './socket.ts'

export interface ResponderOptions {
  readonly socket: MdnsSocket
  readonly service: Service
  /** The addresses of one interface, at least one of them IPv4. */
  readonly addresses: readonly LanAddress[]
  /** Port of the protocol; queries from other ports come from plain DNS clients. */
  readonly port: number
  readonly conflicts: ConflictWatch
  readonly clock: Clock
  readonly random: Random
  /** Called when the announcements were sent. */
  readonly onAnnounced: () => void
  /** Called when one of the responder's own packets came back. */
  readonly onEcho: () => void
  /** Called when the responder's packets do not come back; the caller opens another socket. */
  readonly onUnheard: () => void
}

/** RFC 6762 section 8: three probes a quarter of a second apart, then two announcements a second apart. */
const PROBES = 3
const PROBE_GAP_MS = 250
const ANNOUNCEMENTS = 2
const ANNOUNCE_GAP_MS = 1000
/** Section 6: shared answers wait 20 to 120 ms, or 400 to 500 ms if more known answers follow. */
const SHARED_WAIT_MS = 20
const MORE_TO_COME_MS = 400
const SPREAD_MS = 100
/** Section 6: least time between two multicasts of a record, shorter when somebody probes for our name. */
const REPEAT_MS = 1000
const DEFENCE_MS = 250
/** Section 6.7: time to live for plain DNS clients. */
const LEGACY_TTL_S = 10

const TRUNCATED_FLAG = 0x0200
/**
 * Classes Internet and any. The library includes the unicast-response bit in the number; responses are multicast
 * anyway.
 */
const CLASSES: readonly string[] = ['IN', 'ANY', 'UNKNOWN_32769', 'UNKNOWN_33023']
/** The library supports this question type, but its typings do not. */
const ANY_TYPE = 'ANY' as unknown as QuestionType

/** Represents the service on one network: probes the names, announces them, answers queries, and sends goodbyes. */
export class Responder {
  readonly #inside: ResponderOptions
  #records: readonly OwnRecord[]
  readonly #near: BlockList
  #state: 'probing' | 'announced' | 'ended' = 'probing'
  readonly #sentAt = new Map<string, number>()
  /** Delayed answers with the address of the querier; null for several. */
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

  /** Updates the port, the fingerprint or the interface's further addresses. */
  update(service: Service, addresses: readonly LanAddress[]): void {
    const old = this.#records
    this.#records = recordsFor(service, addresses)
    this.#inside.conflicts.own(this.#records)
    const currentKeys = new Set(this.#records.map(recordKey))
    const removed = old.filter((record) => !currentKeys.has(recordKey(record)))
    if (this.#state !== 'announced' || (removed.length === 0 && old.length === this.#records.length)) return
    this.#pending.clear()
    this.#sentAt.clear()
    this.#cancelNext()
    this.#announce(1, removed)
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

  hear(packet: MdnsPacket, from: PacketSender): void {
    if (this.#state === 'ended' || !this.#near.check(from.address, 'ipv4')) return
    if (this.#isEcho(packet, from)) {
      this.#echo.received()
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

  /** Other programs of this machine use the same address, for other names. */
  #isEcho({ questions = [], answers = [] }: MdnsPacket, from: PacketSender): boolean {
    const { port, addresses, service } = this.#inside
    const own = instanceName(service.serial)
    return (
      from.port === port &&
      addresses.some(({ address }) => address === from.address) &&
      [...questions, ...answers].some(({ name }) => name === own)
    )
  }

  #hearQuery(packet: MdnsPacket, from: PacketSender): void {
    const questions = (packet.questions ?? []).filter((question) => CLASSES.includes(question.class ?? 'IN'))
    const answers = new Set(questions.flatMap((question) => answersTo(question, this.#records)))
    if (from.port !== this.#inside.port) {
      if (answers.size > 0) void this.#answerLegacy(packet, [...answers], from)
      return
    }
    for (const record of answers) this.#pending.set(record, this.#pending.has(record) ? null : from.address)
    this.#forgetKnown(packet.answers ?? [], from)
    if (this.#pending.size === 0 || answers.size === 0) return
    const probed = (packet.authorities ?? []).length > 0
    const truncated = ((packet.flags ?? 0) & TRUNCATED_FLAG) !== 0
    const shared = [...answers].some((record) => !record.flush)
    const wait = truncated
      ? MORE_TO_COME_MS + this.#spread(SPREAD_MS)
      : shared
        ? SHARED_WAIT_MS + this.#spread(SPREAD_MS)
        : 0
    if (wait === 0) this.#answer(probed ? DEFENCE_MS : REPEAT_MS)
    else this.#cancelAnswer ??= this.#inside.clock.after(wait, () => this.#answer(REPEAT_MS))
  }

  /** Known-answer suppression: leaves out records that the querier lists with at least half of their time to live. */
  #forgetKnown(known: readonly HeardRecord[], from: PacketSender): void {
    for (const answer of known) {
      const key = recordKey(answer)
      for (const [record, asker] of this.#pending) {
        if (asker === from.address && recordKey(record) === key && (answer.ttl ?? 0) * 2 >= record.ttl)
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
    if (answers.length > 0) void this.#send(answers, additionsFor(answers, this.#records).filter(rested))
  }

  #answerLegacy(packet: MdnsPacket, requested: readonly OwnRecord[], from: PacketSender): Promise<boolean> {
    const plain = (record: OwnRecord): OwnRecord => ({
      ...record,
      ttl: Math.min(record.ttl, LEGACY_TTL_S),
      flush: false,
    })
    const answers = requested.filter((record) => record.type !== 'NSEC')
    if (answers.length === 0) return Promise.resolve(true)
    return this.#inside.socket.send(
      {
        type: 'response',
        id: packet.id ?? 0,
        // Only answered questions: the library may fail to encode an unusual name.
        questions: (packet.questions ?? [])
          .filter((question) => answersTo(question, requested).length > 0)
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

  /** Queries both names. @param known records that others need not send */
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

  /** The gateway's unique records for a probe, without the cache-flush bit. */
  #claimed(): readonly OwnRecord[] {
    return this.#records
      .filter((record) => record.flush && record.type !== 'NSEC')
      .map((record) => ({ ...record, flush: false }))
  }

  #announce(turn: number, removed: readonly OwnRecord[]): void {
    const sent = this.#send([...removed.map(goodbye), ...this.#records], [])
    if (turn === ANNOUNCEMENTS) {
      void this.#announced(sent)
      return
    }
    this.#cancelNext = this.#inside.clock.after(ANNOUNCE_GAP_MS, () => this.#announce(turn + 1, []))
  }

  async #announced(sent: Promise<boolean>): Promise<void> {
    if (!(await sent) || this.#state === 'ended') return
    this.#echo.start()
    this.#inside.onAnnounced()
  }

  #send(answers: readonly OwnRecord[], additionals: readonly OwnRecord[]): Promise<boolean> {
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
 * Networks of the interface. Queries from elsewhere are ignored, because responses could be used to flood a third
 * party.
 */
function nearBy(addresses: readonly LanAddress[]): BlockList {
  const near = new BlockList()
  for (const { family, address, cidr } of addresses) {
    if (family === 4) near.addSubnet(address, Number(cidr.split('/')[1]), 'ipv4')
  }
  return near
}
