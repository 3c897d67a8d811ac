/** One v1 line (platform.md 10.2), with what a test cares about. */
export function line(given: Partial<Record<string, string | number>> = {}): string {
  const fields = {
    cache: 'HIT',
    status: 200,
    time: Date.UTC(2026, 4, 20, 10, 15),
    bytes: 100,
    zone: 1337,
    ip: '203.0.113.0',
    referer: '-',
    url: 'https://cdn.example.com/a.png',
    edge: 'DE',
    agent: 'Mozilla/5.0',
    request: '322b688bd63fb63f2babe9de30a5d262',
    country: 'FR',
    ...given,
  };
  return Object.values(fields).join('|');
}
