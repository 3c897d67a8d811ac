/** The first match counts: Edge also calls itself Chrome, and Chrome Safari. */
const BROWSERS = {
  'Edg/': 'Edge',
  'OPR/': 'Opera',
  Firefox: '',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Chrome: '',
  Safari: '',
};

const nameIn = (agent: string, names: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(names).flatMap(([token, name]) => (agent.includes(token) ? [name || token] : []))[0];

/** `Chrome on Windows`, `SearchCrawler`, `curl` */
export function agentName(agent: string): string {
  const [, robot] = /compatible; (\w[\w.-]*)/.exec(agent) ?? [];
  const browser = nameIn(agent, BROWSERS);
  if (robot !== undefined || browser === undefined) return robot ?? agent.split(/[/ (]/, 1)[0] ?? '';
  const system = nameIn(agent, { Windows: '', Android: '', iPhone: '', iPad: '', 'Mac OS X': 'macOS', Linux: '' });
  return system === undefined ? browser : `${browser} on ${system}`;
}
