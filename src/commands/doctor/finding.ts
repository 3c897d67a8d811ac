import { ConfigError } from '../../config.ts';
import { networkTrouble } from '../../network.ts';
import { problemOf } from '../../problem.ts';
import { finalOf, reasonOf, type TokenName } from '../../slack/patience.ts';
import { isUnreached, sentence, usageErrorOf } from '../../slack/refusals.ts';
import { StartError } from '../../start-error.ts';

export interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

export const REACH =
  'Check whether this machine reaches Slack: SLACK_API_URL, and HTTPS_PROXY where only a proxy does.';

/** An error of `look` says what is wrong, and `fix` what to do. */
export async function check(what: string, look: () => Promise<string>, fix: string): Promise<Finding> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    return { what, ok: false, detail: detailOf(error, fix) };
  }
}

export function detailOf(error: unknown, fix = ''): string {
  // Its message says what to do.
  if (error instanceof StartError) return error.message;
  const trouble = networkTrouble(error);
  const mend = isUnreached(error) ? REACH : fix;
  return trouble === undefined ? `${reasonFor(error)} ${mend}`.trim() : `${sentence(trouble.is)} ${trouble.mend}`;
}

/** As a sentence. */
export function reasonFor(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (isUnreached(error)) return `Slack could not be reached: ${reasonOf(error)}.`;
  const refused = usageErrorOf(error);
  if (refused !== undefined) return [refused.message, refused.hint].filter(Boolean).join(' ');
  const reason = error instanceof Error && error.name === 'Error' ? error.message : problemOf(error).summary;
  const said = reason.startsWith('unexpected error') && error instanceof Error ? error.message : reason;
  return /[.…!?]$/.test(said) ? said : `${said}.`;
}

/** Throws what to do about a token that Slack finally refuses. */
export const refusedAs =
  (token: TokenName) =>
  (error: unknown): never => {
    throw finalOf(error, token) ?? error;
  };

export function complained<T>(what: string, read: () => T): { value?: T; findings: Finding[] } {
  try {
    return { value: read(), findings: [] };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const complaints = error instanceof ConfigError ? error.complaints : [error.message];
    return { findings: complaints.map((detail) => ({ what, ok: false, detail })) };
  }
}

export const lineOf = ({ what, ok, detail }: Finding): string =>
  `${ok ? 'ok   ' : 'WRONG'} ${what.padEnd(12)} ${detail}`;
