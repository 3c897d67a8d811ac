import { execFileSync } from 'node:child_process';

/** As much of CycloneDX 1.5 as is looked at: https://cyclonedx.org/docs/1.5/json/. */
interface Sbom {
  metadata: { component: { name: string } };
  components: { 'bom-ref': string; properties?: { name: string; value: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * `npm run -s sbom > sbom.json`: what the bot is made of at run time, as CycloneDX. npm lists everything, and packages for
 * development are left out here: its own `--omit dev` leaves out those that both need too (npm 11.19).
 */
function main(): void {
  const listing = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const sbom = JSON.parse(execFileSync('npm', listing, { encoding: 'utf8', maxBuffer: 2 ** 26 })) as Sbom;
  // npm names it after the folder.
  sbom.metadata.component.name = 'edgewise';
  sbom.components = sbom.components.filter(
    ({ properties }) => !properties?.some(({ name }) => name === 'cdx:npm:package:development'),
  );
  const kept = new Set(sbom.components.map((component) => component['bom-ref']));
  const [root, ...others] = sbom.dependencies;
  sbom.dependencies = [root!, ...others.filter(({ ref }) => kept.has(ref))].map(({ ref, dependsOn }) => ({
    ref,
    dependsOn: dependsOn.filter((one) => kept.has(one)),
  }));
  process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`);
}

main();
