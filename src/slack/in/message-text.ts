/** What Slack makes of a message's text, undone: `<http://cdn.example.com|cdn.example.com>` was typed as the host alone. */
export function typedLineOf(text: string, botUserId: string): string {
  return text
    .replace(new RegExp(`^\\s*<@${botUserId}(?:\\|[^>]*)?>[\\s:,]*`), '')
    .replace(/<(?:https?:\/\/|mailto:|tel:)[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:|tel:)[^|>]*)>/g, (_, address: string) => address.replace(/^(mailto|tel):/, ''))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/[\u00a0\u202f]/g, ' ')
    .trim();
}
