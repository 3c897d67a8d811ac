/** What tells two bots of one workspace apart. */
interface OwnName {
  /** The slash command. */
  command: string;
  /** Of the account that it operates: `staging`. */
  label?: string | undefined;
}

let own: OwnName = { command: '/edge' };

/** Once, at the start. */
export function useOwnName(given: OwnName): void {
  own = given;
}

/** The slash command, and the rest of the line. */
export const slash = (line = ''): string => (line === '' ? own.command : `${own.command} ${line}`);

/** The same for texts of mrkdwn. */
export const toType = (line: string): string => `\`${slash(line)}\``;

/** How a command beside the bot is typed: installed from npm, or in a checkout and in the image. */
export function toRun(command: string, rest = ''): string {
  if (import.meta.url.includes('/node_modules/edgewise/')) return `npx edgewise ${command} ${rest}`.trimEnd();
  if (command === 'start') return 'npm start';
  return `npm run ${command}${rest === '' ? '' : ` -- ${rest}`}`;
}

export const label = (): string | undefined => own.label;
