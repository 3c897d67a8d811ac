import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageTemplate, pathTemplate, templateId } from '../../src/logs/template.ts';
import { groupingAccuracy, labelledLogs } from './labelled-logs.ts';
import { catalogueLogs } from './message-catalogues.ts';

/** What the rules look for, half of it open. */
const PIECES = [
  'a, a: ',
  ', a: "',
  'a=b, c',
  ' a=<',
  '<a.',
  '{a=',
  '[a, ',
  '((',
  ' (a b',
  'x[',
  "'",
  '\\"',
  'C:\\a ',
  'a -> ',
  ':',
  '0:',
  'a:b ',
];

test.each([
  ['Connection to 10.0.0.1:443 timed out after 60 s', 'Connection to <*> timed out after <*>'],
  ['No such host: origin-7.shop.example.com:8443', 'No such host: <*>'],
  ['User "ada" was  not\nfound in \'people\'', 'User <*> was not found in <*>'],
  ['user ada does not exist', 'user <*> does not exist'],
  ['the user is not known', 'the user is not known'],
  ["it's the origin's fault", "it's the origin's fault"],
  ['GET https://a.example/b?token=1 failed', 'GET <*> failed'],
  ['request 0c4396cd7361f9da, trace 7f0c1b9e-1111-2222-3333-444455556666', 'request <*>, trace <*>'],
  ['the facade is defaced', 'the facade is defaced'],
  ['1,234.5 of 7 at 2001:db8::1', '<*> of <*> at <*>'],
  ['retries=3, ok=true; left=', 'retries=<*>, ok=<*>; left=<*>'],
  ['failed login; user= uid=0 tty=ssh', 'failed login; user=<*> uid=<*> tty=<*>'],
  ['got "a \\"quoted\\" b" from it', 'got <*> from it'],
  ['partitions {orders=3, images=12} were assigned', 'partitions {<*>} were assigned'],
  ['tickTime set to 2000', 'tickTime set to <*>'],
  ['AppleCamIn::wakeEventHandlerThread', 'AppleCamIn::wakeEventHandlerThread'],
  ['from 3a:4f:57:3b:ea:b2 on Fri Jun 17 07:07:00 2005', 'from <*> on <*>'],
  ['ids 1, 2, 3 and 4', 'ids <*> and <*>'],
  ['java.net.ConnectException: Connection refused', 'java.net.ConnectException: Connection refused'],
  ['Backend images: unhealthy', 'Backend <*>: unhealthy'],
  ['the queue is full', 'the queue is full'],
  ['queue search-api stopped', 'queue <*> stopped'],
  ['Invalid address ada.l@mail.example.org', 'Invalid address <*>'],
  ['Not Found: /api/orders?page=31', 'Not Found: <*>'],
  ['session cqqK5K4Xw1LLKFF0OqYj9C== expired', 'session <*> expired'],
  ['AppleDeviceManagementHIDEventService failed', 'AppleDeviceManagementHIDEventService failed'],
  ['Server environment:java.home=/usr/lib', 'Server <*>'],
  ['Command line argument: -Xmx1g', 'Command line argument: <*>'],
  ['FLAG: --add-dir-header="false"', 'FLAG: <*>=<*>'],
  ['device lo: state change: unmanaged -> unavailable', 'device <*>: state <*>'],
  ['lost connection after RCPT from unknown[192.0.2.7]', 'lost connection after <*> from <*>'],
  ['disconnect from mail.example.org[2001:db8::7]:25', 'disconnect from <*>'],
  ['Opening socket connection to server localhost/127.0.0.1:2181', 'Opening socket connection to server <*>'],
  ['relaying from=<ada@example.org> to=<>', 'relaying from=<*> to=<*>'],
  ['Bus handling <Event call_service[L]: domain=light> here', 'Bus handling <*> here'],
  ['C:\\xampp\\bin\\mysqld.exe: is ready', '<*>: is ready'],
  ['closing log stdio:/var/log/squid/access.log', 'closing log <*>'],
  ['Executing the migration id="create index IDX - v2"', 'Executing the migration id=<*>'],
  ['the answer <nil> was wrong', 'the answer <*> was wrong'],
  ["A key b'/_matrix/key' was attached", 'A key <*> was attached'],
  ['Undefined index: campaign in /srv/a.php on line 4', 'Undefined index: <*> in <*> on line <*>'],
  ['PHP Fatal error: Allowed memory of 64 MB exhausted', 'PHP Fatal error: Allowed memory of <*> exhausted'],
  ['已经成功保存ID为12的用户信息', '已经成功保存 <*> 的用户信息'],
  ['Login OK: [ada] (from client r2 port 0)', 'Login OK: [<*>] (from client <*> port <*>)'],
  ['Class App\\Exporter\\Settings was not found', 'Class <*> was not found'],
  ['reply for the host is ::', 'reply for the host is <*>'],
  ['no longer bound to ::1#53', 'no longer bound to <*>'],
  ['Cam::add and Cam::bad were called', 'Cam::add and Cam::bad were called'],
  ['reply for the host is <CNAME>', 'reply for the host is <*>'],
  ['pg[3.18( empty lis/c=44 ) state changed', 'pg [<*> (empty lis/c=<*>) state changed'],
  ['1 connection now open', '<*> connection now open'],
  ['12 connections now open', '<*> connection now open'],
  ['AH01630: client denied by configuration: /srv', 'AH01630: client denied by <*>'],
  ['D19528236F: removed', '<*>: removed'],
  ['Configuration {"http":{"routers":{}}} was received', 'Configuration {<*>} was received'],
  ['{ read write } was denied', '{read write} was denied'],
  ['the cluster is green again [shards started [[logs][0], [logs][1]] ...]', 'the cluster is green again [<*>]'],
  ['LOG: statement: SELECT 1 FROM users', 'LOG: statement: <*>'],
  ['welcome back, method=PLAIN, TLS, session=7', 'welcome back, method=<*>, session=<*>'],
  ['welcome back, method=PLAIN, session=7', 'welcome back, method=<*>, session=<*>'],
  [
    'open() "/a" failed (2: No such file), client: 192.0.2.7, server: shop, request: "GET /a,b HTTP/1.1", host: "a"',
    'open (<*>) <*> failed (<*>: No such file), client: <*>',
  ],
  ['address already in use :::8080', 'address already in use <*>'],
  ['nodes node 1 <ok> node 2 <ok> node 3 <ok>', 'nodes node <*> < ok >'],
  ['SELECT 1 FROM users WHERE id = 7', 'SELECT <*> FROM <*> WHERE id=<*>'],
  ['Loaded pt-BR from Order.php:42', 'Loaded <*> from <*>'],
  ['Undefined variable $title', 'Undefined variable <*>'],
  ['', ''],
])('the message %j has the template %j', (message, template) => {
  expect(messageTemplate(message)).toBe(template);
});

describe('what varies is known by its place in the sentence', () => {
  test.each([
    // Why something failed is another's text, up to the next key or sentence.
    ['saving the cart failed: quota exceeded', 'saving the cart failed: <*>'],
    ['could not reach the shop: no such host', 'could not reach the shop: <*>'],
    ['reading the price list: unexpected EOF', 'reading the price list: <*>'],
    ['the cart is lost, reason: late answer, attempt: 3', 'the cart is lost, reason: <*>'],
    ['the cart is lost (Broken pipe)', 'the cart is lost (<*>)'],
    ['Error: late answer', 'Error: late answer'],
    ['the parcel is here: it is heavy', 'the parcel is here: it is heavy'],
    // Names have separators or big letters within, and are put in brackets.
    ['stopping feed-writer before CartCleaner', 'stopping <*> before <*>'],
    ['could not copy carts/spring to next_year', 'could not copy <*> to <*>'],
    ['the lane [fast] is open for {guests}', 'the lane [<*>] is open for {<*>}'],
    ['the lanes [fast, slow] are open', 'the lanes [<*>] are open'],
    ['a LaneError was thrown', 'a LaneError was thrown'],
    // They follow a word for their kind, a preposition, a colon; or they are what is spoken of.
    ['moving shelf seven to cellar', 'moving shelf seven to <*>'],
    ['parcels go from cellar to attic, slowly', 'parcels go from <*> to <*>, slowly'],
    ['the volume photos was mounted', 'the volume <*> was mounted'],
    ['the shelf is now in state: dusty', 'the shelf is now in state: <*>'],
    ['both parcels are taken out of cellar', 'both parcels are taken out of <*>'],
    ['attic is too warm for parcels today', '<*> is too warm for parcels <*>'],
    ['storekeeper: shelf seven fell down', '<*>: shelf seven fell down'],
    // What is said of a name is no name.
    ['Backend photos: unhealthy', 'Backend <*>: unhealthy'],
    ['the volume was mounted', 'the volume was mounted'],
    ['there is no room left in there', 'there is no room left in <*>'],
    ['the shelf did not fall', 'the shelf did not fall'],
    // Too few words of its own: then the first says what it is about.
    ['getPrice setPrice', 'getPrice <*>'],
    ['Link down', 'Link down'],
    ['from [2a02:db8::7:1]:443 and 2a02:db8::7:443', 'from [<*>]: <*> and <*>'],
  ])('%j has the template %j', (message, template) => {
    expect(messageTemplate(message)).toBe(template);
  });
});

test.each([
  ['/users/42/avatar-7.png?v=1', '/users/<n>/avatar-<n>.png'],
  ['https://cdn.example.com/a/7f0c1b9e-1111-2222-3333-444455556666', '/a/<id>'],
  ['/assets/app.3f2a9c1b.js', '/assets/app.<hex>.js'],
  ['/v1/live/channel-5/index.m3u8', '/v1/live/channel-<n>/index.m3u8'],
  [`/blog/${'a-long-title-'.repeat(5)}.html`, '/blog/<name>.html'],
  ['/blog/how-to-purge-a-cache', '/blog/<name>'],
  ['/watch/dQw4w9WgXcQ', '/watch/<id>'],
  ['/npm/react@18/index.js', '/npm/react@<n>/index.js'],
  ['https://cdn.example.com?x=1', '/'],
  ['/pt-BR/docs', '/<locale>/docs'],
  ['/users/ada@example.com/orders', '/users/<email>/orders'],
])('the path %j has the template %j', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});

describe('with one set of rules for all', () => {
  const sets = labelledLogs(1500);
  const accuracies = sets.map(([name, messages]) => {
    const groups = messages.map(({ message }) => messageTemplate(message));
    const labels = messages.map(({ label }) => label);
    return [name, groupingAccuracy(labels, groups)] as const;
  });

  test.each(accuracies)('messages like those of the %s are grouped as people would (accuracy %f)', (_, accuracy) => {
    expect(accuracy).toBeGreaterThan(0.9);
  });

  test('the mean accuracy is past 0.95', () => {
    expect(accuracies.reduce((sum, [, accuracy]) => sum + accuracy, 0) / accuracies.length).toBeGreaterThan(0.95);
  });

  test('an accuracy falls when kinds are taken together or torn apart', () => {
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'b', 'b'])).toBe(1);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'a', 'a'])).toBe(0);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'c', 'b', 'b'])).toBe(0.5);
  });

  test('so are those of servers, libraries and platforms of all kinds', () => {
    const all = catalogueLogs(1500).map(([, messages]) =>
      groupingAccuracy(
        messages.map(({ label }) => label),
        messages.map(({ message }) => messageTemplate(message)),
      ),
    );
    expect(all.reduce((sum, accuracy) => sum + accuracy, 0) / all.length).toBeGreaterThan(0.9);
  });

  test('a template has none but itself: it is the same whatever was read before', () => {
    const messages = sets.flatMap(([, all]) => all.slice(0, 60).map(({ message }) => message));
    const alone = new Map(messages.map((message) => [message, messageTemplate(message)]));
    fc.assert(
      fc.property(fc.shuffledSubarray(messages, { minLength: 1, maxLength: 40 }), (some) => {
        for (const message of some) expect(messageTemplate(message)).toBe(alone.get(message));
      }),
      { numRuns: 20 },
    );
  });

  test('no text keeps it from ending', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: fc.constantFrom(...'0a.:,/-="\'( )<g') }), (text) => {
        expect(messageTemplate(text).length).toBeLessThanOrEqual(4 * text.length + 3);
      }),
      { numRuns: 300 },
    );
  });

  test.each(PIECES)('nor does a text of nothing but %j', (piece) => {
    for (const other of PIECES) expect(messageTemplate(`${piece}${other}`.repeat(300))).toBeTypeOf('string');
  });

  test('a message of any length is read as far as it says what kind it is', () => {
    expect(messageTemplate(`Out of room ${'a.'.repeat(1e6)}`)).toMatch(/^Out of room/);
  });
});

test('an id says the same everywhere, and another for other rules, other parts and parts in another order', () => {
  expect(templateId('origin', 'http_timeout', 504, undefined)).toBe(
    templateId('origin', 'http_timeout', 504, undefined),
  );
  // Written down: an id of today is the same on the machine of tomorrow. Other rules want another version, and this line.
  expect(templateId('origin', 'http_timeout', 504, messageTemplate('took 60 s'))).toBe('vWl2TXGXGNqjk6ER');
  const ids = [templateId('a', 'b'), templateId('b', 'a'), templateId('ab'), templateId('a', 'b', undefined)];
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toMatch(/^[\w-]{16}$/);
});
