import { createRandom, type Random } from '../random.ts';
import type { EdgeScript, PullZone, ScriptRelease } from './account.ts';

/** The edge scripts of the seeded account, linked to its pull zones. */
export function seedScripts(random: Random, zones: readonly PullZone[]): EdgeScript[] {
  const scripts: [string, number, [string, boolean, string | null][], number | undefined][] = [
    [
      'geo-redirect',
      2,
      [
        ['DEFAULT_COUNTRY', true, 'DE'],
        ['FALLBACK_URL', false, 'https://www.example.com/'],
      ],
      308001,
    ],
    [
      'image-resizer',
      1,
      [
        ['MAX_WIDTH', true, '2400'],
        ['QUALITY', false, '82'],
      ],
      308003,
    ],
    [
      'ab-testing',
      2,
      [
        ['EXPERIMENT', true, 'checkout-2'],
        ['SHARE', true, '0.25'],
      ],
      308002,
    ],
    ['robots-txt', 1, [], undefined],
    ['dns-failover', 0, [['PRIMARY', true, null]], undefined],
    [
      'api-gateway',
      2,
      [
        ['UPSTREAM', true, 'https://origin-api.example.com'],
        ['TIMEOUT_MS', false, '8000'],
      ],
      308004,
    ],
  ];
  let variable = 20_600;
  return scripts.map(([Name, ScriptType, variables, zone], index) => ({
    Id: 41_300 + index * 11,
    Name,
    ScriptType,
    LastModified: new Date(Date.UTC(2026, 4, 3 + index * 5, 9, 30)).toISOString(),
    DefaultHostname: `${Name}-${random.text(5, 'abcdefghijkmnpqrstuvwxyz')}.script.example.net`,
    DeploymentKey: `deploy_${random.text(40)}`,
    LinkedPullZones: zones
      .filter(({ Id }) => Id === zone)
      .map((linked) => ({
        Id: linked.Id,
        PullZoneName: linked.Name,
        DefaultHostname: `${linked.Name}.edge.example.net`,
      })),
    EdgeScriptVariables: variables.map(([name, Required, DefaultValue]) => ({
      Id: variable++,
      Name: name,
      Required,
      DefaultValue,
    })),
    MonthlyCost: Math.round(random.next() * 900) / 100,
    MonthlyRequestCount: random.integer(10_000, 4_000_000),
    MonthlyCpuTime: random.integer(1_000, 900_000),
    releases: releasesOf(Name, index),
  }));
}

const WORK = ['first version', 'keep the query', 'fix the headers of robots', 'shorter timeouts'];

/** Three or four, the newest of which is live. Ids are the same for every seed, so that they can be typed. */
function releasesOf(script: string, index: number): ScriptRelease[] {
  const random = createRandom('releases', script);
  const count = 3 + (index % 2);
  return WORK.slice(0, count).map((Note, at) => {
    const made = Date.UTC(2026, 4 + at, 3 + index * 2, 9, 30 + at);
    const hex = (length: number) => random.text(length, '0123456789abcdef');
    return {
      Id: 90_000 + index * 10 + at,
      Deleted: false,
      Code: `// ${script}: ${Note}\nconst KEY = 'key_${random.text(30)}';\nexport default (request) => fetch(request);\n`.padEnd(
        900 + at * 370,
        '// …\n',
      ),
      Uuid: `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      Note,
      Author: at % 2 === 0 ? 'Ada Lovelace' : 'Ben Ali',
      AuthorEmail: at % 2 === 0 ? 'ada@example.com' : 'ben@example.com',
      CommitSha: at === 0 ? null : hex(40),
      Status: at === count - 1 ? 1 : 0,
      DateReleased: new Date(made).toISOString(),
      DatePublished: new Date(made + 60_000).toISOString(),
    };
  });
}
