import { Cron } from 'croner';
import { expect, it } from 'vitest';
import { parseCron } from '../../src/schedule/cron.ts';
import { slotsBetween } from '../../src/schedule/slots.ts';
import { EXPRESSIONS } from './expressions.ts';

/**
 * Why the slots are not croner's, the library that comes nearest: it takes either day field where one begins with a star
 * (vixie cron wants both), lets fixed times come twice when several hours are listed and one of them is repeated, and needs
 * a tenth of a millisecond a slot. For everything else it is a third opinion.
 */
const DIFFERENT = ['0,30 1,2,3 * * *', '0 9 */2 * 1', '0 9 1-7 * */2'];

it.each([
  ['Europe/Berlin', '2027-03-26', '2027-03-30'],
  ['Europe/Berlin', '2027-10-29', '2027-11-02'],
  ['Australia/Lord_Howe', '2027-04-02', '2027-04-06'],
])('slots in %s from %s agree with croner but where it departs from vixie cron', (timezone, first, last) => {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  const different = EXPRESSIONS.filter((expression) => !/^\* \*|^\*\/5 /.test(expression)).filter((expression) => {
    const cron = new Cron(expression, { timezone, mode: '5-part' });
    const theirs: number[] = [];
    for (let next = cron.nextRun(new Date(from)); next !== null && next.getTime() <= to; next = cron.nextRun(next))
      theirs.push(next.getTime());
    const ours = [...slotsBetween(parseCron(expression), timezone, from, to)];
    return JSON.stringify(ours) !== JSON.stringify(theirs);
  });
  expect(DIFFERENT).toEqual(expect.arrayContaining(different));
});
