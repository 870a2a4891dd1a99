import type { Page } from 'playwright-core'

/** Facts of the home in the addresses of views. */
export interface PageFacts {
  /** Origin by the name of this machine. */
  readonly origin: string
  /** The owner's device ids by name. */
  readonly devices: ReadonlyMap<string, string>
  /** Id of an integration that sees a part of the home. */
  readonly integration: string
  /** Origin by a numeric address. */
  readonly byAddress: string
  /** Creates an address that signs the administrator in. */
  link(): Promise<string>
  /** Makes an agent ask to open the front door, if no request is open. */
  opening(): Promise<void>
  /** Renames the integration as another person. */
  savedElsewhere(): Promise<void>
}

/** A state of a page of the console, with a name for its picture. */
export interface ConsoleView {
  readonly name: string
  readonly at: (facts: PageFacts) => string
  /** True if `first` needs a sign-in within five minutes. */
  readonly isDangerous?: boolean
  /** Parts of the browser's own error messages that `first` causes. */
  readonly tells?: readonly string[]
  /** True if the view shows a pending request. */
  readonly waits?: boolean
  /** Steps to reach the state: open a dialog, unfold a part. */
  readonly first?: (page: Page, facts: PageFacts) => Promise<void>
}
