import { execFileSync } from 'node:child_process';

/**
 * `npm run -s sbom > sbom.json`: what the bot is made of at run time, as CycloneDX. npm lists everything, and packages for
 * development are left out here: its own `--omit dev` leaves out those that both need too (npm 11.19).
 */
const listing = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const sbom = JSON.parse(execFileSync('npm', listing, { encoding: 'utf8', maxBuffer: 2 ** 26 }));
// npm names it after the folder.
sbom.metadata.component.name = 'edgewise';
sbom.components = sbom.components.filter(
  ({ properties }) => !properties?.some(({ name }) => name === 'cdx:npm:package:development'),
);
const kept = new Set(sbom.components.map((component) => component['bom-ref']));
const [root, ...others] = sbom.dependencies;
sbom.dependencies = [root, ...others.filter(({ ref }) => kept.has(ref))].map(({ ref, dependsOn }) => ({
  ref,
  dependsOn: dependsOn.filter((one) => kept.has(one)),
}));
process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`);
