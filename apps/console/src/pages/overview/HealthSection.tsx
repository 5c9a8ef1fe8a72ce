import type { HealthCheck } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { Badge, Notice, Section, Time, type Tone } from '../../kit/index.ts';
import { commonWords } from '../../words/define-words.ts';
import { useDuration, useNumberFormat, useWords } from '../../words/words.ts';
import { checkWords, type Found } from './check-words.ts';
import healthSectionStyles from './HealthSection.module.css';
import { overviewWords } from './words.ts';

const TONES: Record<HealthCheck['state'], Tone> = { ok: 'good', warning: 'warn', error: 'bad' };
const STATE_WORDS = {
  ok: 'stateOk',
  warning: 'stateWarning',
  error: 'stateError',
} as const satisfies Record<HealthCheck['state'], keyof typeof overviewWords.en>;

/** The failing checks, worst first, with what to do, and all checks. */
export function HealthSection({ checks, time }: { checks: readonly HealthCheck[]; time: number }) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const explain = useCheckWords(time);
  const wrong = checks
    .filter(({ state }) => state !== 'ok')
    .sort((a, b) => Number(b.state === 'error') - Number(a.state === 'error'));
  return (
    <Section title={words.health}>
      {wrong.length === 0 && <Notice tone="good" title={words.allWell} />}
      {wrong.map((check) => {
        const { name, says, whatToDo } = explain(check);
        return (
          <Notice key={check.check} tone={TONES[check.state]} title={`${name}${words.colon}${says}`}>
            {words.whatToDo}
            {words.colon}
            {whatToDo}
            {check.check === 'held_customers' && (
              <>
                {words.gap}
                <Link to="/holds">{words.heldCustomers}</Link>
              </>
            )}
            {check.sinceTime !== null && (
              <>
                {words.gap}
                {words.since}
                {words.colon}
                <Time timeMs={check.sinceTime} isRelative />
              </>
            )}
          </Notice>
        );
      })}
      <details className={healthSectionStyles.all}>
        <summary>
          {words.allChecks}
          {wrong.length > 0 && `${words.gap}${words.aside(words.someChecks(write(wrong.length)))}`}
        </summary>
        <ul className={healthSectionStyles.checks}>
          {checks.map((check) => {
            const { name, says } = explain(check);
            return (
              <li key={check.check} className={healthSectionStyles.check}>
                <Badge tone={TONES[check.state]}>{words[STATE_WORDS[check.state]]}</Badge>
                <strong>{name}</strong>
                <span>{says}</span>
              </li>
            );
          })}
        </ul>
      </details>
    </Section>
  );
}

/** A health check in words. */
interface CheckPhrases {
  name: string;
  says: string;
  whatToDo: string;
}

/** Returns a function that words a check. `time`: when the service ran the checks, by its clock. */
function useCheckWords(time: number): (check: HealthCheck) => CheckPhrases {
  const words = useWords(checkWords);
  const { comma } = useWords(commonWords);
  const write = useNumberFormat();
  const writeDuration = useDuration();
  return ({ check, state, sinceTime, count, names }) => {
    const [first = ''] = names;
    const found: Found = {
      age: writeDuration(Math.max(0, time - (sinceTime ?? time))),
      count: write(count ?? 0),
      kind: first === 'redis' ? 'Redis' : 'PostgreSQL',
      kinds: names.join(comma),
      most: first,
    };
    const phrase = words[`${check}_${state === 'ok' ? 'is' : 'wrong'}`];
    const says = typeof phrase === 'string' ? phrase : phrase(found);
    return { name: words[`${check}_name`], says, whatToDo: words[`${check}_do`] };
  };
}
