import type { Agenda } from '../model/agenda.ts'
import type { Report } from '../model/bus-types.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { encodeReply, encodeReport, type Hello, type Reply } from '../wire/replies.ts'
import { decodeRequest, type Request, REQUEST } from '../wire/messages.ts'
import type { Counters } from './counters.ts'
import { AdapterLink, type BootReason, type ProtocolVersion } from './link.ts'
import { Members, Radio, type RadioNetwork, type RadioUnit } from './radio.ts'
import { answerFromTable, workOn, type RequestContext } from './requests.ts'

const REMEMBERED_MAX = 64
const REMEMBERED_MS = 30_000

interface Remembered {
  /** The reply's payload, or null while the request is pending. */
  reply: Buffer | null
  /** The last session with this request, which gets the reply. */
  session: number
  at: number
}

/** Recent request ids, which must not run again (docs/hmhc.md, 2). */
class RequestMemory {
  readonly #requests = new Map<number, Remembered>()

  /** The record of a request: null if it is new. */
  recall(request: number, session: number, now: number): Remembered | null {
    const known = this.#requests.get(request)
    if (known === undefined) return null
    if (known.reply !== null && now - known.at > REMEMBERED_MS) {
      this.#requests.delete(request)
      return null
    }
    known.session = session
    return known
  }

  begin(request: number, session: number, now: number): Remembered {
    const remembered: Remembered = { reply: null, session, at: now }
    this.#requests.set(request, remembered)
    for (const [oldest, { reply }] of this.#requests) {
      if (this.#requests.size <= REMEMBERED_MAX) break
      if (reply !== null) this.#requests.delete(oldest)
    }
    return remembered
  }

  clear(): void {
    this.#requests.clear()
  }
}

const REPORTS_MAX = 2_048

interface Waiting {
  readonly payload: Buffer
  /** Address of its unit, or null. */
  readonly address: number | null
}

/**
 * Pending messages of the adapter to its host. Replies go first, but never past an older report about the same unit:
 * otherwise the host would keep the older state.
 */
class AckQueue {
  #first: Buffer[] = []
  #reports: Waiting[] = []

  /** Returns false if the oldest report was dropped for it. */
  addReport(payload: Buffer, address: number | null): boolean {
    this.#reports.push({ payload, address })
    if (this.#reports.length <= REPORTS_MAX) return true
    this.#reports.shift()
    return false
  }

  /** `addresses`: the units whose state the reply contains. */
  addReply(payload: Buffer, addresses: readonly number[]): void {
    if (addresses.length > 0 && this.#reports.length > 0) {
      const about = new Set<number | null>(addresses)
      for (const report of this.#reports) if (about.has(report.address)) this.#first.push(report.payload)
      this.#reports = this.#reports.filter((report) => !about.has(report.address))
    }
    this.#first.push(payload)
  }

  next(): Buffer | null {
    return this.#first.shift() ?? this.#reports.shift()?.payload ?? null
  }

  /** Drops everything; returns the number of reports. */
  clear(): number {
    const reports = this.#reports.length
    this.#first = []
    this.#reports = []
    return reports
  }
}

/** The adapter's limits in its hello. */
export const LIMITS = { inFlightMax: 4, groupMax: 20, registersMax: 40 } as const
const BUSY_MS = 60
const TROUBLE_GAP_MS = 60_000

interface AdapterParts {
  /** Real time: the link and the radio do not run faster than the host. */
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly counters: Counters
  readonly network: RadioNetwork
  /** Share of time in which the adapter may transmit. */
  readonly duty: number
  readonly send: (bytes: Buffer) => void
  readonly version: ProtocolVersion
}

/** The HMHC adapter between host and units. docs/hmhc.md, section 2. */
export class Adapter implements RequestContext {
  readonly agenda: Agenda
  readonly network: RadioNetwork
  readonly radio: Radio
  readonly members: Members
  readonly counters: Counters
  readonly #identity: Pick<Hello, 'serial' | 'firmware' | 'network' | 'channel'>
  readonly #random: SeededRandom
  readonly #link: AdapterLink
  readonly #ackQueue = new AckQueue()
  readonly #memory = new RequestMemory()
  #hostId: number | null = null
  #inFlight = 0
  #dutyReportedAt = -Infinity
  /** Number of boots: work from before a boot must not answer after it. */
  #life = 0

  constructor(parts: AdapterParts) {
    const { agenda, network, counters, random, duty, version } = parts
    this.agenda = agenda
    this.network = network
    this.counters = counters
    this.#random = random
    this.radio = new Radio({ agenda, random: random.fork('radio'), counters, duty })
    this.members = new Members({ agenda, network, report: (report) => this.report(report) })
    const identity = random.fork('identity')
    this.#identity = {
      serial: `HMA-${String(identity.whole(0, 999_999)).padStart(6, '0')}`,
      firmware: [1, 4, 2],
      network: identity.uint32(),
      channel: identity.whole(11, 26),
    }
    this.#link = new AdapterLink({
      agenda,
      counters,
      version,
      send: parts.send,
      user: {
        onMessage: (payload) => this.#onMessage(payload),
        onSession: (hostId) => this.#onSession(hostId),
        onSessionEnd: () => this.#forgetReports(),
        nextMessage: () => this.#ackQueue.next(),
      },
    })
    this.#link.boot('power_on', this.#random.uint32(), false)
  }

  receive(bytes: Uint8Array): void {
    this.#link.receive(bytes)
  }

  /** Restarts without sessions, remembered requests and pending reports. */
  reset(reason: BootReason): void {
    this.#life++
    this.#inFlight = 0
    this.#memory.clear()
    this.#hostId = null
    this.#link.boot(reason, this.#random.uint32(), true)
  }

  /** A unit's report reached the adapter over the air. */
  onUnitReport(unit: RadioUnit, report: Report): void {
    const life = this.#life
    this.radio.report(unit, () => {
      if (life !== this.#life) return
      this.members.seen(unit.address)
      this.report(report)
    })
  }

  /** Sends a report to the host; without a host it is dropped. */
  report(report: Report): void {
    if (this.#link.session === null) return void this.counters.reportsDropped++
    if (report.kind === 'touch' && this.#link.version < 2) return
    this.counters.reports++
    const address = report.kind === 'unit' ? report.unit.address : 'address' in report ? report.address : null
    if (!this.#ackQueue.addReport(encodeReport(report), address)) this.counters.reportsDropped++
    this.#link.pump()
  }

  /** Sets whether frames of the host are acknowledged. */
  acknowledge(does: boolean): void {
    this.#link.acknowledges = does
  }

  setRadio(up: boolean): void {
    if (this.radio.up === up) return
    this.radio.up = up
    this.report({ kind: 'radio', up })
  }

  hello(): Hello {
    return { ...this.#identity, radioUp: this.radio.up, unitCount: this.network.units.length, ...LIMITS }
  }

  #onSession(hostId: number): void {
    this.#forgetReports()
    if (hostId !== this.#hostId) this.#memory.clear()
    this.#hostId = hostId
  }

  #forgetReports(): void {
    this.counters.reportsDropped += this.#ackQueue.clear()
  }

  #onMessage(payload: Buffer): void {
    const request = decodeRequest(payload, this.#link.version)
    if ('bad' in request) {
      this.counters.badMessages++
      const answerable = request.request !== null && request.code >= 0x01 && request.code <= 0x3f
      if (answerable) this.#send(encodeReply(request.code, request.request ?? 0, { result: 'bad_request' }), [])
      return
    }
    this.#onRequest(request)
  }

  #onRequest(request: Request): void {
    const session = this.#link.session
    if (session === null) return
    const now = this.agenda.now()
    const known = this.#memory.recall(request.request, session, now)
    if (known !== null) {
      this.counters.repeated++
      if (known.reply !== null) this.#send(known.reply, [])
      return
    }
    this.counters.requests++
    if (request.name === 'control' || request.name === 'group_control') this.counters.controls++
    const remembered = this.#memory.begin(request.request, session, now)
    const life = this.#life
    this.#answer(request, (reply, addresses) => {
      if (life !== this.#life) return
      remembered.reply = encodeReply(REQUEST[request.name], request.request, reply)
      remembered.at = this.agenda.now()
      if (remembered.session === this.#link.session) this.#send(remembered.reply, addresses)
    })
  }

  #answer(request: Request, answer: (reply: Reply, addresses: readonly number[]) => void): void {
    const known = answerFromTable(this, request)
    if (known !== null) return answer(known, [])
    if (!this.radio.up) return answer({ result: 'radio_down' }, [])
    if (this.#inFlight >= LIMITS.inFlightMax) return answer({ result: 'busy', retryMs: BUSY_MS }, [])
    const wait = this.radio.dutyWait(1)
    if (wait > 0) return answer(this.#overDuty(wait), [])
    this.#inFlight++
    const life = this.#life
    workOn(this, request, (reply, addresses) => {
      if (life === this.#life) this.#inFlight--
      answer(reply, addresses)
    })
  }

  #overDuty(waitMs: number): Reply {
    const now = this.agenda.now()
    if (now - this.#dutyReportedAt >= TROUBLE_GAP_MS) {
      this.#dutyReportedAt = now
      this.report({ kind: 'trouble', trouble: 'duty_limit' })
    }
    return { result: 'busy', retryMs: Math.min(0xffff, Math.max(1, waitMs)) }
  }

  #send(payload: Buffer, addresses: readonly number[]): void {
    this.#ackQueue.addReply(payload, addresses)
    this.#link.pump()
  }
}
