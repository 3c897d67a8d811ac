/**
 * Slack's mrkdwn, built so that text from outside stays text. `mrkdwn` is a template tag: what stands in the template is
 * formatting, what is put into it is escaped, unless it is `Mrkdwn` itself (`code(…)`, `bold(…)`).
 */
export class Mrkdwn {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  toString(): string {
    return this.value;
  }
}

/** Plain text (escaped where it is shown) or ready mrkdwn. */
export type Words = string | number | Mrkdwn;

/** Direction overrides, zero-width characters and control characters: they reorder or hide what a person reads. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Shows control, zero-width and direction characters as U+XXXX, so that they can be seen and cannot act. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    return `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/** Text from outside as mrkdwn that cannot mention, link, format or reorder. A word joiner takes the force of * _ ~. */
export function escaped(text: string): string {
  return visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`/g, 'ˋ')
    .replace(/(^|[^\p{L}\p{N}])([*_~])/gu, '$1\u2060$2\u2060')
    .replace(/:(?=[a-z0-9_+-]+:)/gi, ':\u2060');
}

/** Outside text or ready mrkdwn → the string that goes into a mrkdwn text object. */
export function mrkdwnOf(words: Words): string {
  return words instanceof Mrkdwn ? words.value : escaped(String(words));
}

/** The template tag. */
export function mrkdwn(strings: TemplateStringsArray, ...values: Words[]): Mrkdwn {
  return new Mrkdwn(
    strings.reduce((text, part, index) => text + part + (index < values.length ? mrkdwnOf(values[index]!) : ''), ''),
  );
}

/** Several words after another, with a separator that is mrkdwn itself. */
export function join(words: Words[], separator = ' '): Mrkdwn {
  return new Mrkdwn(words.map(mrkdwnOf).join(separator));
}

/** Inline code: nothing in it is formatted or linked. Backticks become ˋ, line breaks spaces. */
export function code(text: string | number): Mrkdwn {
  const inner = visible(String(text).replace(/[\r\n]+/g, ' '))
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`/g, 'ˋ');
  return new Mrkdwn(inner === '' ? '' : `\`${inner}\``);
}

export function bold(words: Words): Mrkdwn {
  return new Mrkdwn(`*${mrkdwnOf(words)}*`);
}

/** A Slack user, shown by Slack under the name that the reader knows. Only for ids that Slack gave us. */
export function user(id: string): Mrkdwn {
  return new Mrkdwn(/^[UWB][A-Z0-9]+$/.test(id) ? `<@${id}>` : escaped(id));
}

/** Only for text that we wrote ourselves: `code`, `<@U…>` and `<#C…>` in it act, everything else is escaped. */
export function written(text: string): Mrkdwn {
  return join(
    text.split(/(`[^`]+`|<[@#][A-Z0-9]+>)/).map((part): Words => {
      if (/^<[@#][A-Z0-9]+>$/.test(part)) return new Mrkdwn(part);
      return part.length > 2 && part.startsWith('`') ? code(part.slice(1, -1)) : part;
    }),
    '',
  );
}

/** A moment in the reader's own time zone, with UTC as the text for clients that cannot show it. */
export function moment(date: Date): Mrkdwn {
  const utc = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new Mrkdwn(`<!date^${Math.floor(date.getTime() / 1000)}^{date_short_pretty} {time}|${utc}>`);
}

/** mrkdwn → the plain text that `text` (notifications, screen readers) shows. */
export function plain(words: Words): string {
  return mrkdwnOf(words)
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/\u2060/g, '');
}
