export const URGENCIES = ['normal', 'high', 'alarm'] as const
export type MessageUrgency = (typeof URGENCIES)[number]

/** `everyone`: everybody who sees its devices, programs too; `home`: the people of the home. */
export const AUDIENCES = ['everyone', 'administrators', 'home'] as const
export type Audience = (typeof AUDIENCES)[number]
