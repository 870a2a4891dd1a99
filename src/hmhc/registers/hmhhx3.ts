import { moduleRegisters } from './module.ts'

/** D: the module of 3 gangs. */
export const HMHHX3 = moduleRegisters('HMHHX3', 3)
