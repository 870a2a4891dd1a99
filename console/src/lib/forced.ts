/** Query that removes a thing although these rules name it: the dialog has listed them. */
export const forcedIf = (users: readonly string[]) => (users.length > 0 ? { query: { force: 'true' as const } } : {})
