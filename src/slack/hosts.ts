export type Way = 'api' | 'responses' | 'files' | 'connections';

/** The only hosts for each purpose. One that begins with a dot stands for all hosts under it. */
export interface SlackHosts extends Readonly<Record<Way, readonly string[]>> {
  readonly isEncrypted: boolean;
}

/** Of Slack and GovSlack. Uploads also go to hosts of files. Source: docs.slack.dev, GovSlack. */
const SLACKS: Readonly<Record<string, SlackHosts>> = Object.fromEntries(
  [
    { domain: 'slack.com', others: ['slack-files.com'] },
    { domain: 'slack-gov.com', others: [] },
  ].map(({ domain, others }): [string, SlackHosts] => [
    domain,
    {
      api: [domain, `.${domain}`],
      responses: [`hooks.${domain}`],
      files: [`files.${domain}`, ...others],
      connections: [`.${domain}`],
      isEncrypted: true,
    },
  ]),
);

/** Hosts of Slack or GovSlack, or the one host of an emulator. */
export function hostsOf(apiUrl: string): SlackHosts {
  const { host } = new URL(apiUrl);
  const domain = Object.keys(SLACKS).find((one) => isAmong(host, [one, `.${one}`]));
  const own = [host];
  return SLACKS[domain ?? ''] ?? { api: own, responses: own, files: own, connections: own, isEncrypted: false };
}

export function isSlacks(hosts: SlackHosts, way: Way, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host } = new URL(address);
  return isAmong(host, hosts[way]) && (!hosts.isEncrypted || protocol === (way === 'connections' ? 'wss:' : 'https:'));
}

const isAmong = (host: string, entries: readonly string[]): boolean =>
  entries.some((entry) => (entry.startsWith('.') ? host.endsWith(entry) : host === entry));
