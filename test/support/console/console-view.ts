import type { Page } from 'playwright-core'

/** What the addresses of views name. */
export interface PageFacts {
  /** The console at the name of this machine. */
  readonly origin: string
  /** Of every device, as the owner knows it, by its name. */
  readonly devices: ReadonlyMap<string, string>
  /** Of the program that sees a part of the home. */
  readonly integration: string
  /** The console at a numeric address of the gateway. */
  readonly byAddress: string
  /** An address that signs the administrator in anew. */
  link(): Promise<string>
  /** Has an agent ask to open the front door, if none does. */
  opening(): Promise<void>
  /** Has somebody else give the integration another name. */
  savedElsewhere(): Promise<void>
}

/** A page of the console as somebody sees it who has opened this on it, by a name for its picture. */
export interface ConsoleView {
  readonly name: string
  readonly at: (facts: PageFacts) => string
  /** Whether what they do takes somebody who signed in within five minutes. */
  readonly isDangerous?: boolean
  /** Of what the browser itself tells besides, because of what they did: each by a part of it. */
  readonly tells?: readonly string[]
  /** Whether something is still asked for then: that is what is looked at. */
  readonly waits?: boolean
  /** What they do there first: open a dialog, unfold a part. */
  readonly first?: (page: Page, facts: PageFacts) => Promise<void>
}
