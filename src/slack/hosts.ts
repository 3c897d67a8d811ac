/** The four ways between the bot and Slack. */
export type Way = 'api' | 'responses' | 'files' | 'connections';

/** The hosts of one Slack, by way; one that begins with a dot stands for all under it. Nothing goes elsewhere. */
export interface SlackHosts extends Readonly<Record<Way, readonly string[]>> {
  /** Nothing goes there unencrypted. */
  readonly isEncrypted: boolean;
}

/** Slack and GovSlack, which know nothing of each other. Uploads go to the hosts of files too. Source: docs.slack.dev, GovSlack. */
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

/** The hosts that belong to a Web API: Slack's, GovSlack's, or an emulator's only one. */
export function hostsOf(apiUrl: string): SlackHosts {
  const { host } = new URL(apiUrl);
  const domain = Object.keys(SLACKS).find((one) => isAmong(host, [one, `.${one}`]));
  const own = [host];
  return SLACKS[domain ?? ''] ?? { api: own, responses: own, files: own, connections: own, isEncrypted: false };
}

/** True: the address is one of this Slack's for this way. A text that is no address is not. */
export function isSlacks(hosts: SlackHosts, way: Way, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host } = new URL(address);
  return isAmong(host, hosts[way]) && (!hosts.isEncrypted || protocol === (way === 'connections' ? 'wss:' : 'https:'));
}

const isAmong = (host: string, entries: readonly string[]): boolean =>
  entries.some((entry) => (entry.startsWith('.') ? host.endsWith(entry) : host === entry));
