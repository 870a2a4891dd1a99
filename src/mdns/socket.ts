import type multicastDns from 'multicast-dns'

/** A packet heard or to be sent; `flags` and `id` are those of the DNS header. */
export type MdnsPacket = Partial<multicastDns.FullPacket>

/** The types that a question may name. */
export type QuestionType = multicastDns.FullPacket['questions'][number]['type']

export interface Sender {
  readonly address: string
  readonly port: number
}

/** Where to speak: from the interface that has `address`, to the group. */
export interface SocketPlace {
  readonly address: string
  readonly port: number
  readonly group: string
}

export interface SocketEvents {
  /** Anything that could be read as DNS, our own packets among it. */
  readonly onPacket: (packet: MdnsPacket, from: Sender) => void
  /** The socket failed: the caller closes it and opens another later. Called once. */
  readonly onTrouble: (error: Error) => void
}

export interface MdnsSocket {
  /**
   * To the group, or to `to` alone. Resolves when the packet has left, with false when it could not: `onTrouble` is
   * called then, nothing is thrown.
   */
  send(packet: MdnsPacket, to?: Sender): Promise<boolean>
  close(): Promise<void>
}

export type OpenSocket = (place: SocketPlace, events: SocketEvents) => MdnsSocket

/** Without these a socket hears nothing or speaks on the wrong network; the library only warns of them. */
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
    mdns.on('packet', (packet: MdnsPacket, from: Sender) => events.onPacket(packet, from))
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
