import type multicastDns from 'multicast-dns'

/** A received packet or one to send; `flags` and `id` are from the DNS header. */
export type MdnsPacket = Partial<multicastDns.FullPacket>

/** The types that a question may name. */
export type QuestionType = multicastDns.FullPacket['questions'][number]['type']

export interface PacketSender {
  readonly address: string
  readonly port: number
}

/** Interface by its `address`, and the multicast group. */
export interface SocketPlace {
  readonly address: string
  readonly port: number
  readonly group: string
}

export interface SocketEvents {
  /** Called for every valid DNS packet, including our own. */
  readonly onPacket: (packet: MdnsPacket, from: PacketSender) => void
  /** Called once when the socket fails; the caller closes it and opens another later. */
  readonly onTrouble: (error: Error) => void
}

export interface MdnsSocket {
  /**
   * Sends to the group, or only to `to`. Resolves with true once sent, with false after a failure, which `onTrouble`
   * reports.
   */
  send(packet: MdnsPacket, to?: PacketSender): Promise<boolean>
  close(): Promise<void>
}

export type OpenSocket = (place: SocketPlace, events: SocketEvents) => MdnsSocket

/** Errors after which a socket receives nothing or uses the wrong network; the library only warns about them. */
const DEAF: readonly string[] = ['addMembership', 'setMulticastInterface', 'bind']

/** Loads the library, which a gateway that announces nothing does not need. */
export async function loadSockets(): Promise<OpenSocket> {
  const { default: open } = await import('multicast-dns')
  return (place, events) => {
    // Bound to every address, or multicast would not be heard; joined and sending on the one interface.
    const mdns = open({ port: place.port, ip: place.group, interface: place.address, bind: '0.0.0.0' })
    let troubled = false
    const trouble = (error: Error): void => {
      if (!troubled) events.onTrouble(error)
      troubled = true
    }
    mdns.on('error', trouble)
    mdns.on('warning', (error) => {
      if ('syscall' in error && typeof error.syscall === 'string' && DEAF.includes(error.syscall)) trouble(error)
    })
    mdns.on('packet', (packet: MdnsPacket, from: PacketSender) => events.onPacket(packet, from))
    return {
      send: (packet, to) =>
        new Promise((resolve) => {
          const sent = (error: Error | null): void => {
            if (error) trouble(error)
            resolve(!error)
          }
          const target = to === undefined ? undefined : { address: to.address, port: to.port }
          try {
            if (packet.type === 'query') mdns.query({ ...packet, questions: packet.questions ?? [] }, target, sent)
            else mdns.respond({ ...packet, answers: packet.answers ?? [] }, target, sent)
          } catch (error) {
            sent(error instanceof Error ? error : new Error(String(error)))
          }
        }),
      close: () => new Promise((resolve) => mdns.destroy(resolve)),
    }
  }
}
