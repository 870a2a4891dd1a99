export const GATEWAY_FLAGS: readonly string[]
export const RELAY_FLAGS: readonly string[]
export const GATEWAY_ENV: Readonly<Record<string, string>>
