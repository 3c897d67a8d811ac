/** Brings the faults of the plan about, and writes down which came and which could not. */
import type { Fault } from './plan.ts';
import type { Delivery } from './stage/door.ts';
import type { Interaction } from './stage/ledger.ts';
import type { PlatformStand } from './stage/platform.ts';
import type { Running, StoreServer } from './stage/processes.ts';
import type { SlackStand } from './stage/slack.ts';

export interface Striker {
  /** Each fault that began or ended. */
  life: { at: number; what: string }[];
  /** Tells it of an acknowledgement, for the faults that aim at one. */
  acked(interaction: Interaction, delivery: Delivery): void;
  strike(fault: Fault): void;
  /** Ends all faults, and starts what was ended. */
  mend(): Promise<void>;
  /** Stretches of time in which the store did not answer. */
  storeAway: { from: number; to: number }[];
}

interface Stage {
  bots: readonly Running[];
  postgres: StoreServer;
  platform: PlatformStand;
  slack: SlackStand;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function createStriker(stage: Stage): Striker {
  const { bots, postgres, platform, slack } = stage;
  const life: Striker['life'] = [];
  const storeAway: Striker['storeAway'] = [];
  const busy = new Set<Running>();
  const aims = new Set<{ fault: Extract<Fault, { what: 'kill' }>; since: number }>();
  const under = new Set<Promise<void>>();
  let isMending = false;
  const note = (what: string) => void life.push({ at: Date.now(), what });
  /** Two replicas at least have to stay whole, one of them whatever comes next. */
  const mayLose = (one: Running) =>
    one.isAlive && !busy.has(one) && bots.filter((bot) => bot.isAlive && !busy.has(bot)).length > 1;

  const hold = (one: Running, what: () => Promise<void>) => {
    busy.add(one);
    const done = what().finally(() => {
      busy.delete(one);
      under.delete(done);
    });
    under.add(done);
  };
  const kill = (one: Running, delay: number, back: number) =>
    hold(one, async () => {
      await wait(delay);
      one.signal('SIGKILL');
      await one.ended();
      await wait(back);
      one.start();
    });
  const store = ({ what, time }: Extract<Fault, { what: `store ${string}` }>) =>
    hold(postgres, async () => {
      const stretch = { from: Date.now(), to: Infinity };
      storeAway.push(stretch);
      // A server that has just started takes a moment.
      const back = () => {
        stretch.to = Date.now() + 1_000;
      };
      if (what === 'store promote') return postgres.promote(back);
      if (what === 'store cut') await postgres.cut();
      else {
        const isStopped = what === 'store stop';
        postgres.signal(isStopped ? 'SIGSTOP' : what === 'store kill' ? 'SIGKILL' : 'SIGTERM');
        if (!isStopped) await postgres.ended();
        await waitUnless(time, () => isMending);
        if (isStopped) postgres.signal('SIGCONT');
        else {
          postgres.start();
          await postgres.ended();
        }
      }
      back();
    });
  const during = <F>(set: Set<F>, fault: F, time: number, name: string) => {
    set.add(fault);
    note(`${name} begins: ${JSON.stringify(fault)}`);
    void waitUnless(time, () => isMending).then(() => {
      set.delete(fault);
      note(`${name} ends`);
    });
  };

  const strike = (fault: Fault): void => {
    if (fault.what === 'platform') during(platform.faults, { ...fault.fault }, fault.time, 'platform');
    else if (fault.what === 'slack') during(slack.faults, { ...fault.fault }, fault.time, 'slack');
    else if ('replica' in fault) strikeReplica(fault);
    else if (busy.has(postgres)) note(`${fault.what} left out: the store is away already`);
    else store(fault);
  };

  const strikeReplica = (fault: Extract<Fault, { replica: number }>): void => {
    const one = bots[fault.replica]!;
    if (fault.what === 'kill') {
      aims.add({ fault, since: Date.now() });
      return;
    }
    if (!mayLose(one)) {
      note(`${fault.what} of ${one.name} left out: too few others`);
      return;
    }
    if (fault.what === 'term') {
      hold(one, async () => {
        one.signal('SIGTERM');
        await one.ended();
        await wait(fault.back);
        one.start();
      });
      return;
    }
    hold(one, async () => {
      one.signal('SIGSTOP');
      await waitUnless(fault.time, () => isMending);
      one.signal('SIGCONT');
    });
  };

  return {
    life,
    storeAway,
    strike,
    acked: (interaction, delivery) => {
      for (const aim of aims) {
        // Where the kind does not come within ten seconds, any will do.
        if (aim.fault.aim !== interaction.kind && Date.now() - aim.since < 10_000) continue;
        const one = bots.find(({ name }) => name === delivery.replica);
        aims.delete(aim);
        if (one === undefined || !mayLose(one)) note(`kill of ${delivery.replica} left out: too few others`);
        else kill(one, aim.fault.delay, aim.fault.back);
        return;
      }
    },
    mend: async () => {
      isMending = true;
      aims.clear();
      platform.faults.clear();
      slack.faults.clear();
      await Promise.race([Promise.all(under), wait(60_000)]);
    },
  };
}

async function waitUnless(time: number, isOver: () => boolean): Promise<void> {
  const until = Date.now() + time;
  while (Date.now() < until && !isOver()) await wait(100);
}
