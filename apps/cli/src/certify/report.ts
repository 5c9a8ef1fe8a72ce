import { formatTime } from '../output/values.ts';
import { type Finding, judge } from './judge.ts';
import { MAGIC } from './magic.ts';
import { FAULTS, type Fault, MAX_CALLS, type Run } from './record.ts';

/** What a run showed. */
export interface Report {
  seed: number;
  calls: number;
  /** How often each fault struck. */
  faults: Partial<Record<Fault, number>>;
  findings: Finding[];
  /** The rules, faults and magic words that the integration was not tried with, and why. */
  notTried: string[];
}

/** Judges a run. Pure. */
export function buildReport(run: Run, seed: number): Report {
  const { calls } = run;
  const faults: Report['faults'] = {};
  for (const { fault } of calls) if (fault !== null) faults[fault] = (faults[fault] ?? 0) + 1;
  const { findings, untried } = judge(run);
  const unmet = Object.entries(FAULTS).filter(([fault]) => !(fault in faults));
  const unused = MAGIC.filter((word) => !calls.some(({ batch }) => batch?.includes(`/${word}`)));
  const notTried = [
    ...untried,
    ...unmet.map(([fault, says]) => `fault ${fault}: ${says}`),
    ...(unused.length === 0 ? [] : [`magic words: ${unused.join(', ')}`]),
    ...(calls.length < MAX_CALLS ? [] : [`calls after the first ${MAX_CALLS}`]),
  ];
  return { seed, calls: calls.length, faults, findings, notTried };
}

/** Formats a report for people. */
export function formatReport({ seed, calls, faults, findings, notTried }: Report): string {
  const struck = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const found = findings.flatMap(({ rule, says, read, count, evidence }) => [
    '',
    `${rule} (${count}): ${says}`,
    ...evidence.map(
      ({ time, subject, requestId, detail }) =>
        `  ${formatTime(time)}  ${[subject, requestId, detail].filter((each) => each !== null).join('  ')}`,
    ),
    `  Read ${read}`,
  ]);
  return [
    `Seed ${seed}. Calls: ${calls}; disturbed: ${struck}; findings: ${findings.length}`,
    ...found,
    ...(notTried.length === 0 ? [] : ['', 'Not tried:', ...notTried.map((says) => `  ${says}`)]),
  ].join('\n');
}
