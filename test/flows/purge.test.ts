import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { quoted } from '../../src/operations/grammar.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a purge', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  beforeEach(() => ops().readAll());

  it('of a tag says that others beside it count, and offers what purges those too', async () => {
    await ops().type('/edge cache purge tag:news --zone main-site');
    const alone = await ops().expectMessage(ASKED);
    expect(alone.text).toMatch(/This purges only files whose CDN-Tag header is exactly this tag/);
    await alone.click('Purge *news* instead');
    const several = await ops().expectMessage(/Purge tag:\*news\* on main-site/);
    expect(several.text).not.toMatch(/exactly this tag|instead/);
    await several.click(CONFIRM);
    await ops().expectMessage(/@ada purged tag:\*news\* on/);
    const sent = workspace.platform.requests.filter(({ path }) => path.endsWith('/purgeCache'));
    expect(sent.map(({ body }) => body)).toEqual([{ CacheTag: '*news*' }]);
    await alone.click('Cancel');
  });

  it.each([
    ['news,sports', 'Purge *news,sports* instead'],
    ['product-123', 'Purge *product-123* instead'],
    ['a"b', 'Purge *a"b* instead'],
    ["it's", "Purge *it's* instead"],
    ['UPPER:case', 'Purge *UPPER:case* instead'],
    ['news*', undefined],
    ['*news', undefined],
  ])('of the tag %s offers what is missing', async (tag, offered) => {
    await ops().type(`/edge cache purge ${quoted(`tag:${tag}`)} --zone main-site`);
    const preview = await ops().expectMessage(ASKED);
    expect(/\[(Purge [^\]]*)\]/.exec(preview.text)?.[1]).toBe(offered);
    if (offered !== undefined) {
      await preview.click(offered);
      await (await ops().expectMessage(/Purge tag:\*/)).click('Cancel');
    }
    await preview.click('Cancel');
  });
});
