import { type Logger, pino } from 'pino';

/** One JSON object a line, on standard output unless told otherwise, with every secret that is known or looks like one hidden. */
export function createLog(
  level: string,
  secrets: { hide(line: string): string },
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  return pino({ level }, { write: (line: string) => write(secrets.hide(line)) });
}
