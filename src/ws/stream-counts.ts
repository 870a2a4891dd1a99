/** Sockets and events of the live stream. */
export interface StreamCounts {
  readonly sockets: number
  /** Sockets with at least one topic. */
  readonly listening: number
  /** Events given to sockets, counted for each socket. */
  readonly delivered: number
  /** Events that a newer one of the same device took the place of, for slow readers. */
  readonly collapsed: number
  /** Sockets ended because their client answered no ping. */
  readonly silent: number
}
