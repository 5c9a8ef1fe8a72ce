import { formatTime } from '../output/values.ts';
import { type Finding, judge } from './judge.ts';
import { MAGIC } from './magic.ts';
import { FAULTS, type Fault, type Run } from './record.ts';

/** What a run showed. */
export interface Report {
  seed: number;
  calls: number;
  /** How often each fault struck. */
  faults: Partial<Record<Fault, number>>;
  findings: Finding[];
  /** What the integration was not tried with. */
  notExercised: string[];
}

/** Judges a run. Pure. */
export function buildReport(run: Run, seed: number): Report {
  const { calls, ledger, probes, unrecorded } = run;
  const faults: Report['faults'] = {};
  for (const { fault } of calls) if (fault !== null) faults[fault] = (faults[fault] ?? 0) + 1;
  const isNamed = (word: string) => calls.some(({ batch }) => batch?.includes(`/${word}`));
  const resent = ledger.messages.some(({ attempts }) => attempts.filter(({ status }) => status !== null).length > 1);
  const missing: [isMissing: boolean, says: string][] = [
    ...Object.entries(FAULTS).map(([name, says]): [boolean, string] => [!(name in faults), `${name}: ${says}`]),
    ...Object.keys(MAGIC).map((word): [boolean, string] => [!isNamed(word), `no batch ${word}…`]),
    [!probes.some(({ status }) => status !== null), 'no webhook accepted a message: signatures were not tested'],
    [!resent, 'no message was sent to a webhook twice'],
    [!calls.some(({ feed }) => feed !== null), 'the event feed was not read'],
    [unrecorded > 0, `${unrecorded} calls after the record was full`],
  ];
  const notExercised = missing.filter(([isMissing]) => isMissing).map(([, says]) => says);
  return { seed, calls: calls.length + unrecorded, faults, findings: judge(run), notExercised };
}

/** Formats a report for people. */
export function formatReport({ seed, calls, faults, findings, notExercised }: Report): string {
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
    ...(notExercised.length === 0 ? [] : ['', 'Not exercised:', ...notExercised.map((says) => `  ${says}`)]),
  ].join('\n');
}
