/** Texts of the search. */
export const words = {
  count: (count: number): string => (count === 0 ? 'Nothing in this home has this name.' : `${count} found`),
  hint: 'Devices, rooms and scenes',
  scene: 'Scene',
  search: 'Search',
} as const
