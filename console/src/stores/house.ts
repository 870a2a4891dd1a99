import { signal } from '@preact/signals'
import type { Home } from '@hm-gateway/client/src/browser.ts'

/** The house as it is followed; null before it was read, and while nobody is signed in. */
export const house = signal<NonNullable<Home['house']> | null>(null)
