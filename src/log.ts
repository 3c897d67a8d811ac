import { type Logger, pino } from 'pino';
import { currentInteraction } from './interaction.ts';

/** One JSON object a line, with all secrets hidden. */
export function createLog(
  level: string,
  secrets: { hide(line: string): string },
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  const mixin = () => {
    const id = currentInteraction()?.id;
    return id === undefined ? {} : { interaction: id };
  };
  return pino({ level, mixin }, { write: (line: string) => write(secrets.hide(line)) });
}
