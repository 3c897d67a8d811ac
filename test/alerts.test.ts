import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../src/metrics.ts';
import { MEASURES, type Measure } from '../src/observe.ts';
import { hasPromtool, promtool } from './support/promtool.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}

const file = (name: string) => fileURLToPath(new URL(`../deploy/${name}`, import.meta.url));
const rules = (parse(readFileSync(file('alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const cases = readFileSync(file('alerts.test.yml'), 'utf8');

describe('The alerts', () => {
  it('are of metrics that the bot gives, by labels that they have', async () => {
    const given = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
    const measures = new Map(Object.values<Measure>(MEASURES).map((measure) => [measure.name, measure]));
    for (const { alert, expr } of rules)
      for (const [, name = '', labels = ''] of expr.matchAll(/\b((?:edgewise|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
        const base = name.replace(/_(bucket|count|sum)$/, '');
        expect(given, alert).toContain(base);
        const known = ['job', 'le', ...(measures.get(base)?.labels ?? [])];
        for (const [, label] of labels.matchAll(/(\w+)=/g)) expect(known, `${alert}: ${name}`).toContain(label);
      }
  });

  it('say what is wrong and what to do, and how much it hurries', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(annotations.summary, alert).toMatch(/^["“A-Z{].*\.$/);
      expect(annotations.action, alert).toMatch(/\.$/);
      expect(['page', 'ticket'], alert).toContain(labels.severity);
    }
  });

  it('each have a case in which they fire', () => {
    expect(rules.map(({ alert }) => alert).filter((alert) => !cases.includes(`alertname="${alert}"`))).toEqual([]);
  });

  it.skipIf(!hasPromtool)('are rules for Prometheus, and fire when they shall and never else', () => {
    expect(promtool(['check', 'rules', file('alerts.yml')])).toBe('');
    expect(promtool(['test', 'rules', file('alerts.test.yml')])).toBe('');
  });

  it.skipIf(!hasPromtool)('and one that fires later than it shall is noticed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgewise-alerts-'));
    try {
      writeFileSync(
        join(folder, 'alerts.yml'),
        readFileSync(file('alerts.yml'), 'utf8').replaceAll(' > ', ' > 1e9 + '),
      );
      writeFileSync(join(folder, 'alerts.test.yml'), cases);
      expect(promtool(['test', 'rules', join(folder, 'alerts.test.yml')])).toContain('FAILED');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
