import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const HEAD = `openapi: 3.0.3\ninfo: {title: Carts, version: '1'}\n`;
const JSON_HEAD = `"openapi":"3.0.3","info":{"title":"Carts","version":"1"}`;
const OK = `{responses: {'200': {description: ok}}}`;
const some = (amount: number, line: (index: number) => string) =>
  Array.from({ length: amount }, (_, index) => line(index)).join('');

describe('a definition that is given to the bot', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    expect(workspace.platform.writes()).toEqual([]);
    expect(workspace.slack.problems).toEqual([]);
  });

  let files = 0;

  /** Gives it in a file of another name each time, which its preview shows. */
  async function given(content: string): Promise<string> {
    files += 1;
    const root = await ops().type('here it is', { files: [{ name: `carts-${files}.yaml`, content }] });
    await ops().type('@edgewise guardian upload api', { thread: root });
    return `carts-${files}.yaml`;
  }

  it.each([
    [
      'as many aliases as a large one has',
      `${HEAD}x: &r {'200': {description: ok}}\npaths:\n${some(200, (index) => `  /p${index}: {get: {responses: *r}}\n`)}`,
      [/Endpoints\n200 of/],
    ],
    [
      'an encoded reference',
      `{${JSON_HEAD},"paths":{"/a/{id}":{"get":{"parameters":[]}},"/b":{"$ref":"#/paths/~1a~1%7Bid%7D"}}}`,
      [/Endpoints\n2 of/, /• GET \/b/],
    ],
    [
      'a path in another file',
      `${HEAD}paths:\n  /a: {$ref: ./paths/a.yaml}\n  /c: {get: ${OK}}\n`,
      [/Endpoints\n1 of/, /not counted: \/a/],
    ],
    [
      'YAML in braces, and a comma too many',
      `{openapi: 3.0, info: {title: Carts, version: 1.10,}, paths: {/a: {get: ${OK}}, x-b: {get: ${OK}}}}`,
      [/→ 1\.10\n/, /OpenAPI: 3\.0\n/, /Endpoints\n1 of/, /^(?![\s\S]*x-b)/],
    ],
    [
      'servers whose addresses have variables',
      `${HEAD}servers: [{url: 'https://{env}.example.com/{base}', variables: {env: {default: a}, base: {default: v1}}}]\npaths: {/items: {get: ${OK}}, '/items/{id}': {get: ${OK}}}\n`,
      [/GET \/items\n/, /GET \/items\/\{id\}/, /Endpoints\n2 of/],
    ],
  ])('is read with %s', async (_, content, expected) => {
    const preview = await ops().expectMessage(new RegExp(`File: ${await given(content)}[\\s\\S]*\\[Cancel\\]`));
    for (const words of expected) expect(preview.text).toMatch(words);
    await preview.click('Cancel');
    await preview.expectChange(/Cancelled/);
  });

  it.each([
    ['a merge key', `${HEAD}x: &x {get: ${OK}}\npaths:\n  /a:\n    <<: *x\n`, /: line 6: merge keys cannot be used/],
    ['a tag', `${HEAD}paths:\n  /a: !include a.yaml\n`, /: line 4: Unresolved tag: !include\./],
    ['a key twice', `${HEAD}paths:\n  /a: {get: ${OK}}\n  /a: {post: ${OK}}\n`, /: line 5: Map keys must be unique/],
    ['a comment in its JSON', `// Carts\n{${JSON_HEAD},"paths":{}}`, /: line 1: a comment begins with # here\./],
    [
      'a second document',
      `${HEAD}paths: {}\n---\n${HEAD}`,
      /: line 4: there are several documents: only one can be read\./,
    ],
    [
      'a path without a slash',
      `${HEAD}paths:\n  orders: {get: ${OK}}\n`,
      /: line 4: the path orders has no slash at the front\./,
    ],
    ['a brace too few', `{${JSON_HEAD},\n"paths":{}`, /: line 2: Flow map must end with a }\.(?!\.)/],
  ])('is refused with %s, and the line is told', async (_, content, reads) => {
    await given(content);
    const told = await ops().expectMessage(reads);
    expect(told.ephemeral).toBe(true);
  });
});
