/** `npm run replay`: a week of the simulator’s traffic with three incidents, hour by hour, through both reports. */
import { alarmLines, INCIDENTS, replayWeek } from './replaying.ts';

const { alarms, messages } = await replayWeek(1);
console.log(alarmLines(alarms).join('\n'));
console.log('');
for (const incident of INCIDENTS) {
  const first = alarms.find((alarm) => alarm.incident === incident);
  console.log(
    `${incident.name}: ${first === undefined ? 'MISSED' : `found ${Math.round((first.at.getTime() - incident.from) / 60_000)} minutes after it began, by ${first.report}`}`,
  );
  if (first === undefined) process.exitCode = 1;
}
const wrong = alarms.filter(({ incident }) => incident === undefined).length;
console.log(`${wrong} false alarms; messages: ${JSON.stringify(messages)}`);
if (wrong > 1) process.exitCode = 1;
