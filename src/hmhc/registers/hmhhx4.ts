import { moduleRegisters } from './module.ts'

/** E: the module of 4 gangs. */
export const HMHHX4 = moduleRegisters('HMHHX4', 4)
