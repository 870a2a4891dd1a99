/** Texts of the page that redirects links from error messages. */
export const words = {
  nowhere: 'This link leads nowhere. Its target was removed, or the link is for a newer version.',
  title: 'Page not found',
} as const
