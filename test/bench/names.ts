import { commandOf } from '../../src/changes/permission.ts';
import { hostname, zoneHostname } from '../../src/operations/arguments/resources/hostnames.ts';
import { exactPullZone } from '../../src/operations/arguments/resources/zones.ts';
import { operations } from '../../src/operations/index.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { contextOf, zoneOf } from '../operations/performing.ts';
import { medianOf, type Report, spreadOf } from './figures.ts';

const ROUNDS = 15;
const ZONES = 3;
const HOSTNAMES = 18_000;
/** So many times as long as parsing the list once may a look at all names take: some 50 ms, in which the main thread is held. */
const WANTED = 5;

const TYPED = {
  nothing: '',
  'one letter': 'c',
  'a part of all': 'example',
  'one name': 'customer-17017.zone2.example.com',
  'a slip': 'custmoer-17',
  'nothing like it': 'qqqqqqqq.invalid',
};

/** How long the main thread is held by suggestions and look-ups in an account of customers' hostnames, beside parsing the list once. */
export async function names(): Promise<Report> {
  const zones = Array.from({ length: ZONES }, (_, zone) =>
    zoneOf(
      1001 + zone,
      `zone${zone}`,
      ...Array.from({ length: HOSTNAMES }, (_, at) => `customer-${at}.zone${zone}.example.com`),
    ),
  );
  const text = JSON.stringify(zones);
  const policy = createPolicy(
    parsePolicy({ text: POLICY, file: 'policy.yml', commands: operations.map(commandOf), admins: ['U0ADA'] }),
    createFixedDirectory(),
  );
  const may: ReturnType<typeof contextOf>['may'] = (given) =>
    policy.decide({ name: 'ssl force' }, { id: 'U0BEN', kind: 'member' }, PLACE, given).allowed;
  const context = { ...contextOf({ lists: { zones } }), may };
  const kinds = { hostname: hostname(), 'hostname of a zone': zoneHostname({ zoneIn: 'zone' }), zone: exactPullZone() };
  const parsing = await timesOf(async () => JSON.parse(text));
  const report: Report = {
    title: `Names among ${ZONES} zones with ${HOSTNAMES.toLocaleString('en-US')} hostnames each, of which a member may one zone`,
    columns: ['what', 'typed', 'ms min/med/max', 'to parsing'],
    rows: [['parsing the list', '', spreadOf(parsing, 1), '1.00×']],
    notes: [`${ROUNDS} rounds each. All of it is one step of the main thread.`],
    verdicts: [],
  };
  let worst = 0;
  for (const [kind, { suggest, resolve }] of Object.entries(kinds))
    for (const [name, typed] of Object.entries(TYPED)) {
      const works = {
        suggest: () => suggest!(typed, context),
        find: async () => resolve(typed, context),
      };
      for (const [what, work] of Object.entries(works)) {
        if (what === 'find' && typed === '') continue;
        const times = await timesOf(() => work().catch(() => undefined));
        const ratio = medianOf(times) / medianOf(parsing);
        worst = Math.max(worst, ratio);
        report.rows.push([`${what} ${kind}`, name, spreadOf(times, 1), `${ratio.toFixed(2)}×`]);
      }
    }
  report.verdicts.push({
    holds: worst <= WANTED,
    text: `a name takes at most ${worst.toFixed(2)} times as long as parsing the list (wanted: ${WANTED})`,
  });
  return report;
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = -3; round < ROUNDS; round += 1) {
    const start = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - start);
  }
  return times;
}

const PLACE = { channelId: 'C0OPS', external: false };
const POLICY = `
roles:
  one:
    people: [U0BEN]
    allow: [{ operations: ssl force, where: { zone: zone2 } }]
`;
