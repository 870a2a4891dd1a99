import { moduleRegisters } from './module.ts'

/** C: the module of 2 gangs. */
export const HMHHX2 = moduleRegisters('HMHHX2', 2)
