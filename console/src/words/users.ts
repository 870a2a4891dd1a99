/** Effect of a removal on the rules that name the thing; null without such rules. */
export const usersOff = (users: readonly string[]): string | null =>
  users.length === 0 ? null : `These rules name it and are turned off: ${users.join(', ')}.`
