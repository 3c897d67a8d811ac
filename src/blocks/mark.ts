import { shorten } from './limits.ts';
import { link, mrkdwn, type Words } from './mrkdwn.ts';

/** `deploy 4f2a of checkout (ci.example.com)`, with a link to there. */
export const markInWords = ({ text, url }: { text: string; url: string | null }): Words =>
  url === null ? shorten(text, 200) : mrkdwn`${shorten(text, 200)} (${link(url, new URL(url).host)})`;
