import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Reason } from './fault-server.ts';
import { AWAY, command, commandsUnderWay, isAllAnswered, MOMENT, startBot, until, untilBoth } from './socket-bot.ts';

describe('two connections', () => {
  test('stand side by side, and payloads come over any of them', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    await untilBoth(bot);
    for (let i = 0; i < 10; i += 1) bot.server.deliver('slash_commands', command(`${i}`));
    await until(() => bot.commands.length === 10 && isAllAnswered(bot.server));
    expect(bot.server.lines).toHaveLength(2);
  });

  for (const reason of ['refresh_requested', 'warning'] as const) {
    test.each(AWAY)(`are renewed after ${reason} that meets %s, without a gap`, async (_, fault) => {
      const bot = await startBot();
      const { server, presence } = bot;
      await bot.socketMode.start();
      await untilBoth(bot);
      server.faults.push(fault, fault);
      server.disconnect(server.lines[0]!, reason, 20);
      const ended = commandsUnderWay(bot);
      const { since } = presence;
      await until(() => server.faults.length === 0);
      await untilBoth(bot);
      await ended();
      expect(presence.since).toEqual(since);
      expect(bot.wrong()).toBeLessThan(MOMENT);
      expect(server.problems).toEqual([]);
    });
  }

  test('are renewed 200 times in a row under a load of commands, whatever the renewal meets', async () => {
    const bot = await startBot();
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const ended = commandsUnderWay(bot);
    const reasons: Reason[] = ['refresh_requested', 'warning'];
    for (let i = 0; i < 200; i += 1) {
      const [, fault] = AWAY[i % AWAY.length]!;
      // What takes long comes now and then only.
      if (i % 20 === i % AWAY.length || fault.kind === 'status' || fault.kind === 'drop') server.faults.push(fault);
      const line = server.lines.find(({ isTold }) => !isTold);
      server.disconnect(line!, reasons[i % 2]!, i % 3 === 0 ? 0 : 10);
      await until(() => server.faults.length === 0 && server.lines.filter(({ isTold }) => !isTold).length >= 2);
    }
    expect(await ended()).toBeGreaterThan(200);
    await untilBoth(bot);
    expect(bot.wrong()).toBeLessThan(MOMENT);
    expect(server.problems).toEqual([]);
    expect(server.calls.length).toBeGreaterThanOrEqual(202);
  });

  test('that end together are both renewed, and what was away is remembered', async () => {
    const bot = await startBot();
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    server.away = { kind: 'status', status: 503 };
    for (const { socket } of [...server.lines]) socket.terminate();
    await until(() => presence.connections === 0);
    await pause(50);
    server.away = undefined;
    await untilBoth(bot);
    expect(presence.away!.until.getTime() - presence.away!.from.getTime()).toBeGreaterThanOrEqual(4_500);
    expect(presence.since).toEqual(presence.away!.until);
    expect(bot.says('Slack could not be reached: it is tried again')).toBe(true);
    expect(bot.wrong()).toBeLessThan(MOMENT);
  });

  test('do not come to their end together: one is always in the first half of its life', async () => {
    const bot = await startBot({ linger: 5_000 }, (server) => {
      server.lifetime = 0.4;
    });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const first = [...server.lines];
    await until(() => server.lines.length === 3);
    // Slack ends both of the same age at once, and is slow to give another.
    server.faults.push({ kind: 'hang', ms: 40 });
    const { since } = presence;
    for (const line of first) server.disconnect(line, 'refresh_requested', 0);
    await until(() => server.lines.length === 1);
    await untilBoth(bot);
    expect(presence.since).toEqual(since);
  });

  test('whose other side falls silent are given up and renewed', async () => {
    const bot = await startBot({ silence: 1_000 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    for (const line of [...server.lines]) server.silence(line);
    await untilBoth(bot);
    expect(bot.log.filter(({ reason }) => String(reason).startsWith('A pong wasn'))).toHaveLength(2);
    server.deliver('slash_commands', command('again'));
    await until(() => isAllAnswered(server));
    expect(presence.connections).toBe(2);
  });

  test('that live as long as Slack answers their pings are left alone', async () => {
    const bot = await startBot({ silence: 1_000 });
    await bot.socketMode.start();
    await untilBoth(bot);
    const [first, second] = bot.server.lines;
    const calls = bot.server.calls.length;
    await pause(2_000);
    expect(bot.server.lines).toEqual([first, second]);
    expect(bot.server.calls).toHaveLength(calls);
  });

  test('that Slack ends as soon as they are there are not opened anew at once for ever', async () => {
    const bot = await startBot({ settled: 1_000, first: 20, most: 100 });
    const { server } = bot;
    await bot.socketMode.start();
    const ending = setInterval(() => {
      for (const line of server.lines) if (!line.isLeaving) server.disconnect(line, 'refresh_requested', 0);
    }, 1);
    await pause(500);
    clearInterval(ending);
    expect(server.calls.length).toBeLessThan(25);
    await untilBoth(bot);
  });
});

describe('what Slack says on a connection', () => {
  test('warning: another is opened before the warned one closes, and payloads still come over it', async () => {
    const bot = await startBot({ linger: 5_000 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    server.disconnect(server.lines[0]!, 'warning', 300);
    await until(() => server.lines.length === 3);
    for (let i = 0; i < 9; i += 1) server.deliver('slash_commands', command(`${i}`));
    await until(() => isAllAnswered(server));
    await untilBoth(bot);
    expect(bot.says('another is opened first')).toBe(true);
  });

  test('refresh_requested: the connection is replaced before it is closed, also where Slack leaves that to us', async () => {
    const bot = await startBot({ linger: 30 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const [old] = server.lines;
    server.disconnect(old!, 'refresh_requested', 60_000);
    await until(() => server.lines.length === 3);
    await untilBoth(bot);
    expect(server.lines).not.toContain(old);
    expect(bot.says('Slack renews a connection')).toBe(true);
  });

  test('link_disabled: it is said what to do, and tried slowly until somebody did it', async () => {
    const bot = await startBot({ slowly: 80 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const calls = server.calls.length;
    server.away = { kind: 'goodbye', reason: 'link_disabled' };
    for (const line of [...server.lines]) server.disconnect(line, 'link_disabled', 5);
    await until(() => presence.connections === 0);
    await pause(200);
    expect(server.calls.length - calls).toBeLessThan(6);
    expect(bot.log.filter(({ level }) => level === 50)[0]!.msg).toContain('switch it on in the app’s settings');
    server.away = undefined;
    await untilBoth(bot);
    expect(bot.wrong()).toBeLessThan(MOMENT);
  });

  test('too_many_websockets: one is kept, and the second waits', async () => {
    const bot = await startBot({ spare: 400 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const { since } = presence;
    const calls = server.calls.length;
    server.disconnect(server.lines[1]!, 'too_many_websockets', 60_000);
    await until(() => server.lines.length === 1);
    await pause(100);
    expect(server.lines).toHaveLength(1);
    expect(server.calls).toHaveLength(calls);
    expect(bot.says('this process keeps one')).toBe(true);
    await untilBoth(bot);
    expect(presence.since).toEqual(since);
  });

  test('too_many_websockets on every connection: one is opened again, after a pause', async () => {
    const bot = await startBot({ spare: 60_000, first: 40, most: 100 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const at = performance.now();
    for (const line of [...server.lines]) server.disconnect(line, 'too_many_websockets', 0);
    await until(() => server.lines.length === 1 && !server.lines[0]!.isLeaving);
    expect(server.calls.at(-1)! - at).toBeGreaterThanOrEqual(20);
    await pause(50);
    expect(presence.connections).toBe(1);
  });

  test('a reason that nobody knows yet is a renewal like others', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    await untilBoth(bot);
    for (const [done, reason] of ['lunch', '', '__proto__', 'x'.repeat(50_000)].entries()) {
      bot.server.disconnect(bot.server.lines[0]!, reason, 0);
      await until(() => bot.server.calls.length >= 3 + done);
      await untilBoth(bot);
    }
    expect(bot.log.filter(({ msg }) => msg.includes('a reason that is new'))).toHaveLength(4);
    expect(Math.max(...bot.log.map((line) => JSON.stringify(line).length))).toBeLessThan(2_000);
  });
});
