import { signal } from '@preact/signals'
import type { Home } from '@hm-gateway/client/src/browser.ts'

/** The house, live; null before the first answer and after sign-out. */
export const house = signal<NonNullable<Home['house']> | null>(null)
