import { hideShapes } from '../secret-shapes.ts';
import { loadEnvironment } from '../setting-checks.ts';
import { examine } from './doctor/examine.ts';
import { lineOf } from './doctor/finding.ts';

/** `npm run doctor`: the settings and what they lead to. Exit code 1: something is wrong. */
loadEnvironment();
const findings = await examine(process.env);
for (const finding of findings) console.log(hideShapes(lineOf(finding)));
process.exit(findings.every(({ ok }) => ok) ? 0 : 1);
