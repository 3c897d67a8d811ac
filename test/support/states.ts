import { REVERSAL_STATES, REVERSAL_TRANSITIONS, STATES, statesIn, TRANSITIONS } from '../../src/changes/change.ts';

interface Drawn {
  from: readonly string[];
  to: string;
  by: string;
  when: string;
}

/** The diagram. A transition from all of a group is drawn from the group. */
function diagramOf(transitions: Record<string, Drawn>, group: { name: string; states: string[] }): string {
  const begins = (from: readonly string[]) => {
    if (from.length === 0) return ['[*]'];
    const isGroup =
      from.length > 1 && group.states.length === from.length && group.states.every((one) => from.includes(one));
    return isGroup ? [group.name] : from;
  };
  const arrows = Object.entries(transitions).flatMap(([name, { from, to, by }]) =>
    begins(from).map((before) => `  ${before} --> ${to}: ${name} (${by})`),
  );
  const grouped =
    group.states.length === 0 ? [] : [`  state ${group.name} {`, ...group.states.map((one) => `    ${one}`), '  }'];
  return ['```mermaid', 'stateDiagram-v2', ...grouped, ...arrows, '```'].join('\n');
}

const table = (head: string, rows: string[][]) =>
  [`| ${head} |`, `|${'---|'.repeat(rows[0]!.length)}`, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');

/** The life of a change, as docs/architecture.md has it. */
export function drawnStates(): string {
  const transitions: Record<string, Drawn> = TRANSITIONS;
  return [
    diagramOf(transitions, { name: 'asking', states: statesIn('asking') }),
    table(
      'state | means',
      Object.entries(STATES).map(([state, { means }]) => [state, means]),
    ),
    table(
      'transition | from | to | by | when',
      Object.entries(transitions).map(([name, one]) => [
        name,
        one.from.length === 0 ? '–' : one.from.join(', '),
        one.to,
        one.by,
        one.when,
      ]),
    ),
    'The reversal of a change that can be undone:',
    diagramOf(REVERSAL_TRANSITIONS, { name: '', states: [] }),
    table('state | means', Object.entries(REVERSAL_STATES)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}
