export type Way = 'api' | 'responses' | 'files' | 'connections';

/** The only hosts for each purpose. One that begins with a dot stands for all hosts under it. */
export interface SlackHosts extends Readonly<Record<Way, readonly string[]>> {
  readonly isEncrypted: boolean;
}

/** Hosts of Slack or GovSlack, or the one host of an emulator. Uploads also go to hosts of files. Source: docs.slack.dev, GovSlack. */
export function hostsOf(apiUrl: string): SlackHosts {
  const { host } = new URL(apiUrl);
  const domain = ['slack.com', 'slack-gov.com'].find((one) => isAmong(host, [one, `.${one}`]));
  if (domain === undefined)
    return { api: [host], responses: [host], files: [host], connections: [host], isEncrypted: false };
  return {
    api: [domain, `.${domain}`],
    responses: [`hooks.${domain}`],
    files: [`files.${domain}`, ...(domain === 'slack.com' ? ['slack-files.com'] : [])],
    connections: [`.${domain}`],
    isEncrypted: true,
  };
}

export function isSlacks(hosts: SlackHosts, way: Way, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host } = new URL(address);
  return isAmong(host, hosts[way]) && (!hosts.isEncrypted || protocol === (way === 'connections' ? 'wss:' : 'https:'));
}

const isAmong = (host: string, entries: readonly string[]): boolean =>
  entries.some((entry) => (entry.startsWith('.') ? host.endsWith(entry) : host === entry));
