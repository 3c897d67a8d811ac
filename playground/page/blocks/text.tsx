/** Text objects of Block Kit. */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { Mrkdwn, PlainText } from '../text/mrkdwn.tsx';

/** A text object, as its type says. */
export function Text({ text }: { text: MrkdwnElement | PlainTextElement }) {
  return text.type === 'mrkdwn' ? (
    <Mrkdwn text={text.text} />
  ) : (
    <span class="lines">
      <PlainText text={text.text} emoji={text.emoji} />
    </span>
  );
}
