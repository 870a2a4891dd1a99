/** Texts of the page that leads on to the place which an error means. */
export const words = {
  nowhere:
    'This place is not in this console: what it was about may have been removed, or the link is of a newer version.',
  title: 'Nothing to see here',
} as const
