/** The page of a device, by its id. */
export const devicePath = (id: string): string => `/console/device/${encodeURIComponent(id)}`

/** The id by which administrators name a device: what follows the gateway and the record in the owner's id. */
export const localIdOf = (id: string): string => id.split(':').slice(2).join(':')
