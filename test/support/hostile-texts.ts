import fc from 'fast-check';

/** Stand around outside text, so that what comes out of it can be found in a message. Nothing of ours has them. */
export const BEGIN = '\ue000';
export const END = '\ue001';

/** What somebody would write into a name to make a message say or do something else. */
const ATTACKS = [
  '<!channel>', '<!here>', '<!everyone>', '<!subteam^S0EVIL000>', '<!subteam^S0EVIL000|admins>', '<@U0EVIL0000>', '<@W0EVIL0000|ada>',
  '<#C0EVIL0000>', '<#C0EVIL0000|general>', '<https://evil.example/x|https://bank.example/>', '<https://evil.example>',
  '<mailto:x@evil.example|Help>', '<tel:+1900|Help>', '<javascript:alert(1)|ok>', 'javascript:alert(1)', 'https://evil.example/x?y=1#z',
  '<!date^1^{date_num}^https://evil.example|now>', '<!date^1^{date_num}|', '|>', '<', '>', '<>', '<!', '&lt;!channel&gt;', '&amp;lt;!here&amp;gt;',
  '&', '&amp;', '&#60;', '@channel', '@here', '#general', '\u003c!channel>', '＜!channel＞', '`', '``', '```', '```\n', '\n```\nfree', '`<!here>`',
  '*bold*', '*', '**', 'a* b', '_it_', '_', '__', '~gone~', '~', '*_~x~_*', ' *', '* ', ':smile:', ':+1:', '::', ':white_check_mark:',
  ':grüße:', ':日本:', ':wave::skin-tone-2:', '> quoted', '>>> all', '\n> quoted', '\n&gt; quoted', '• listed', '- listed', '1. listed', '# Title',
  '[label](https://evil.example)', '![image](https://evil.example/i.png)', '\n', '\n\n', '\r\n', '\r', '\t', '\v', '\f', '  ', ' ', '\u00a0', '\u3000',
  '\0', '\u0001', '\u0007', '\b', '\u001b[31m', '\u007f', '\u0085', '\u009b', '\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e',
  '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2028', '\u2029', '\u2060', '\u2063',
  '\u2066', '\u2067', '\u2068', '\u2069', '\u206a', '\u206f', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\ufffa', '\ufffb', '\uffff',
  '\u{1d173}', '\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u202eexe.txt', '\ud800', '\udc00', 'x\udfff', '\ud83d', '\udc00\ud800', '👩‍👩‍👧',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'e\u0301\u0301\u0301\u0301', '\u0e01\u0e49\u0e49\u0e49\u0e49', '=cmd|\' /C calc\'!A0', '=HYPERLINK("https://evil.example","x")', '+1+1', '-1+1',
  '@SUM(1)', '\t=1+1', '\r=1+1', '\n=1+1', ' =1+1', '\u200b=1+1', '＝1+1', '＋1', '－1', '＠x', '%0A=1', '|cmd', 'a;=1+1', 'a,=1+1', 'a\t=1+1', '";=1+1;"',
  '","=1+1', '"', "'", '\'=1', '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '</textarea>', '{"a":1}', '[]', '{}', '{"text":"x"}',
  'null', 'true', 'NaN', '__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '../../etc/passwd', 'C:\\x', '%s%n', '$1',
  '$&', '$`', '#{x}', '{{x}}', "'; DROP TABLE x; --", '\\', '\\u003c!channel>', '\\`', '\\n', '…', '–', '',
]; // biome-ignore format: a list of texts reads better as a block

/** Ordinary things, so that attacks also stand in the middle of words, and so that code that looks for them goes its way. */
const ORDINARY = ['shop', 'main-site', 'a', 'x1', 'cdn.example.com', 'https://cdn.example.com/a', '/api/v1/items', 'GET', '404', 'HIT', 'detached']; // biome-ignore format: as above

/** An attack, or several after and in another, or what is left of one when something is cut. */
const attack = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ATTACKS) },
  {
    weight: 6,
    arbitrary: fc
      .array(fc.constantFrom(...ATTACKS, ...ORDINARY), { minLength: 2, maxLength: 5 })
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...ATTACKS, ...ORDINARY), { minLength: 2, maxLength: 4 })
      .map((parts) => parts.join(' ')),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...ATTACKS), fc.nat(12), fc.nat(12))
      .map(([text, from, size]) => text.slice(from, from + size)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
);

/** Around Slack's limits, and far beyond them. */
const long = fc
  .tuple(attack, fc.constantFrom(75, 150, 250, 1_000, 2_000, 3_000, 6_000), fc.integer({ min: -3, max: 40 }))
  .map(([text, size, more]) => (text === '' ? 'x' : text).repeat(size).slice(0, size + more));

const text = fc.oneof({ weight: 150, arbitrary: attack }, { weight: 1, arbitrary: long });

/** One of them, for properties; now and then one far beyond Slack's limits. */
export const hostileText = fc
  .tuple(fc.oneof({ weight: 12, arbitrary: attack }, { weight: 1, arbitrary: long }), fc.boolean())
  .map(([inner, isMarked]) => (isMarked ? `${BEGIN}${inner}${END}` : inner));

/** Half of them in marks: what formats must not, wherever it stands; without marks they begin a cell or a line. */
const marked = fc.oneof(
  text,
  text.map((inner) => `${BEGIN}${inner}${END}`),
);

/** `count` hostile texts, always the same ones. Those that are in the list above all stand at the beginning, as they are. */
export function hostileTexts(count: number): string[] {
  const alone = ATTACKS.flatMap((one) => [one, `${BEGIN}${one}${END}`]);
  return [...alone, ...fc.sample(marked, { seed: 20_261_123, numRuns: Math.max(0, count - alone.length) })];
}
