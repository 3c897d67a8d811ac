import type { Post, Run } from '../judge.ts';
import type { Label, Model } from '../model.ts';
import type { Week } from '../seeds.ts';

const MINUTE_MS = 60_000;

/** What the judge needs to know of a week. Without `shownAt` the platform shows everything at once. */
export function runOf(
  week: Pick<Week, 'seed' | 'kind'>,
  model: Model,
  posts: readonly Post[],
  shownAt: (label: Label) => number = ({ firstSeen }) => firstSeen,
): Run {
  return {
    seed: week.seed,
    kind: week.kind,
    from: model.from,
    to: model.to,
    posts,
    labels: model.labels(),
    zones: model.zones.map(({ name }) => name),
    happenings: model.happenings,
    shownAt,
    failing(name, from, to) {
      const zone = model.zones.find((one) => one.name === name)!;
      const { serverErrors, requests } = model.totals(zone, Math.floor(from / MINUTE_MS), Math.floor(to / MINUTE_MS));
      return requests === 0 ? 0 : serverErrors / requests;
    },
  };
}
