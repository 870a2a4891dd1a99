/** Sockets and events of the live stream. */
export interface StreamCounts {
  readonly sockets: number
  /** Sockets with at least one topic. */
  readonly listening: number
  /** Events sent to sockets, counted per socket. */
  readonly delivered: number
  /** Events replaced by a newer one of the same device, for slow readers. */
  readonly collapsed: number
  /** Sockets closed because their client did not answer pings. */
  readonly silent: number
}
