import { beforeEach, describe, expect, it } from 'vitest';
import { fullPreviewOf } from '../../../src/changes/preview.ts';
import { createCatalogue } from '../../../src/operations/catalogue.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, contextOf, NOW } from '../performing.ts';

const simulated = useSimulated();
const releases = () => simulated.simulator.account.scripts.find(({ Id }) => Id === 41300)!.releases;

beforeEach(() => {
  for (const [at, one] of releases().entries()) one.Status = at === 2 ? 1 : 0;
});

describe('script publish', () => {
  it('shows what runs now, what would run, when each was made and its size; undo is the other one', async () => {
    const publish = await simulated.perform('script publish geo-redirect previous');
    const [, before, live] = releases();
    const preview = await publish.preview();
    expect([preview.before, preview.after]).toEqual([{ release: live!.Uuid }, { release: before!.Uuid }]);
    const details = preview.details!.text;
    expect(details).toMatch(
      /Running now: \w{8} \(fix the headers of robots\), published .*2026.* UTC, by Ada Lovelace, 2\.2 kB/,
    );
    expect(details).toMatch(/Then: \w{8} \(keep the query\), published .* UTC, by Ben Ali, 1\.7 kB/);
    expect(details).toContain('It serves main-site.');
    expect(publish.operation.undo?.({ before: preview.before!, after: preview.after }, publish.values)).toEqual({
      release: live!.Uuid,
    });
  });

  it('shows a note that looks like more than a note in quotes', async () => {
    const [, before] = releases();
    const { Note, Author } = before!;
    Object.assign(before!, { Note: 'fix), published today, by Ada', Author: 'Eve, approved by Ada' });
    const { details } = await (await simulated.perform('script publish geo-redirect previous')).preview();
    Object.assign(before!, { Note, Author });
    expect(details!.text).toMatch(
      /Then: \w{8} \(“fix\), published today, by Ada”\), published .* UTC, by “Eve, approved by Ada”, /,
    );
  });

  it('knows what fails on the zones that the script answers', async () => {
    const told = (id: number, name: string) => ({
      channelName: '#ops',
      troubles: [{ zone: String(id), words: `${name}: visitors get 502`, since: NOW, share: 0.4 }],
    });
    const catalogue = createCatalogue(simulated.platform, () => NOW);
    const { items } = await catalogue.zones();
    const [site, other] = ['main-site', 'shop'].map((name) => items.find((one) => one.Name === name)!);
    const reports = {
      incidents: async () => [told(site!.Id, 'main-site'), told(other!.Id, 'shop')],
      doubts: async () => [],
    };
    const context = contextOf({ platform: simulated.platform, catalogue, reports });
    const { operation, values, canonical } = await simulated.perform('script publish geo-redirect previous');
    const { trouble } = await fullPreviewOf(operation, { values, canonical, context });
    expect(blockText(trouble!)).toMatch(/^🔴 \*main-site: visitors get 502\*/u);
    expect(blockText(trouble!)).not.toContain('shop');
  });

  it('sends the release with its note, and says from which to which', async () => {
    const publish = await simulated.perform(`script publish 41300 ${releases()[0]!.Uuid.slice(0, 6)}`);
    const text = blockText((await publish.run()).message);
    expect(text).toContain('published release');
    const sent = simulated.simulator.writes().at(-1)!;
    expect(sent).toMatchObject({ method: 'POST', path: `/compute/script/41300/publish/${releases()[0]!.Uuid}` });
    expect(sent.body).toEqual({ Note: 'first version' });
    expect(releases().map(({ Status }) => Status)).toEqual([1, 0, 0]);
  });

  it.each([
    ['script publish geo-redirect ffffffff-none', /There is no release “ffffffff-none”/],
    ['script publish geo-redirect a', /cannot be a release/],
    ['script publish geo-redirect "../x y"', /cannot be a release/],
    [
      'script publish 7 4f2a',
      /cannot be looked up: the list of releases is not available \(the platform has no such list\)/,
    ],
  ])('%s is refused with what to do', async (line, words) => {
    await expect(simulated.perform(line)).rejects.toThrow(words);
  });

  it('takes a whole id where the releases cannot be read, and says that they cannot', async () => {
    const publish = await simulated.perform('script publish 7 4f2a91c0-0000-4000-a000-000000000000');
    expect(await publish.preview()).toMatchObject({ unread: 'the platform has no such list' });
  });

  it('is offered with the releases of the script, the one that runs among them', async () => {
    const kind = (await simulated.perform('script publish geo-redirect previous')).operation.args.release!;
    const context = {
      ...contextOf({ platform: simulated.platform, catalogue: createCatalogue(simulated.platform, () => NOW) }),
      given: { script: 'geo-redirect' },
    };
    const options = await kind.suggest!('', context);
    expect(options.map(({ description }) => description)).toEqual([
      '2026-11-21 12:00 UTC',
      'it runs, 2026-07-03 09:33 UTC',
      '2026-06-03 09:32 UTC',
    ]);
  });
});
