import { randomUUID } from 'node:crypto';
import { note } from './routes/user-audit.ts';
import type { Simulation } from './simulation.ts';

/** The zone on which somebody works. */
const ZONE = 'shop';

/** Does by hand, at the platform, the next of some changes. A sentence about what was done. */
export function createHand(simulation: Simulation): () => string {
  const { account, now } = simulation;
  const zone = account.zones.find(({ Name }) => Name === ZONE) ?? account.zones[0]!;
  const shield = account.shieldZones.find(({ pullZoneId }) => pullZoneId === zone.Id);
  const hostname = zone.Hostnames.find(({ IsSystemHostname }) => !IsSystemHostname) ?? zone.Hostnames[0]!;
  const ofZone = { Product: 'CDN', ResourceType: 'PullZone', ResourceId: String(zone.Id) };
  let step = -1;
  const changes = [
    () => {
      const ForceSSL = { Old: hostname.ForceSSL, New: !hostname.ForceSSL };
      hostname.ForceSSL = ForceSSL.New;
      note(simulation, { ...ofZone, Action: 'SetForceSSL', Diff: { Hostname: hostname.Value, ForceSSL } }, now());
      return `force HTTPS was switched ${ForceSSL.New ? 'on' : 'off'} for ${hostname.Value}`;
    },
    () => {
      const OriginUrl = { Old: zone.OriginUrl, New: `https://origin-${(step % 7) + 2}.example.net` };
      const ZoneSecurityKey = { Old: zone.ZoneSecurityKey, New: zone.ZoneSecurityKey.split('').reverse().join('') };
      zone.OriginUrl = OriginUrl.New;
      zone.ZoneSecurityKey = ZoneSecurityKey.New;
      note(simulation, { ...ofZone, Action: 'Update', Diff: { OriginUrl, ZoneSecurityKey } }, now());
      return 'the origin and the security key were changed';
    },
    () => {
      const Old = shield?.botActions[2] ?? 0;
      const New = Old === 1 ? 0 : 1;
      if (shield !== undefined) shield.botActions[2] = New;
      const at = { Product: 'Shield', ResourceType: 'ShieldZone', ResourceId: String(shield?.shieldZoneId ?? '') };
      const Diff = { Category: 2, CategoryAction: { Old, New } };
      note(simulation, { ...at, Action: 'UpdateBotCategory', Diff }, now());
      return `scrapers for AI are ${New === 1 ? 'blocked' : 'let in'} now`;
    },
    () => {
      note(simulation, { ...ofZone, Action: 'PurgeCache' }, now());
      return 'the cache was cleared';
    },
  ];
  return () => {
    step += 1;
    const said = changes[step % changes.length]!();
    return `Somebody is in the platform’s dashboard: on ${zone.Name}, ${said}. The same again makes another change.`;
  };
}

/** The script whose releases somebody makes; it runs on the zone whose origin can be broken. */
const SCRIPT = 'geo-redirect';

/** Somebody publishes a new release in the dashboard. A sentence about it. */
export function releaseByHand(simulation: Simulation): string {
  const { account, now } = simulation;
  const script = account.scripts.find(({ Name }) => Name === SCRIPT) ?? account.scripts[0]!;
  const last = script.releases.at(-1)!;
  const at = now().toISOString();
  for (const one of script.releases) one.Status = 0;
  const Uuid = randomUUID();
  const Note = `shorter redirects, try ${script.releases.length}`;
  const made = { Uuid, Note, CommitSha: null, Status: 1, DateReleased: at, DatePublished: at };
  script.releases.push({ ...last, ...made, Id: last.Id + 1, Code: `${last.Code}// ${Note}\n` });
  const of = { Product: 'EdgeScripting', ResourceType: 'EdgeScript', ResourceId: String(script.Id) };
  note(simulation, { ...of, Action: 'PublishRelease', Diff: { Release: { Old: last.Uuid, New: Uuid } } }, now());
  return `Somebody published release ${Uuid.slice(0, 8)} of ${script.Name} in the dashboard.`;
}
