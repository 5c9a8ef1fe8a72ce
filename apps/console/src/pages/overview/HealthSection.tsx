import type { HealthCheck } from '@lockstep/contract/console';
import { Group, Stack } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Badge, Notice, type Tone } from '../../kit/signs.tsx';
import { Labeled, Time } from '../../kit/values.tsx';
import { commonWords } from '../../words/define-words.ts';
import { useDuration, useNumberFormat, useWords } from '../../words/words.ts';
import { pageOf } from '../links.tsx';
import { checkWords, type Found } from './check-words.ts';
import { overviewWords } from './words.ts';

const TONES: Record<HealthCheck['state'], Tone> = { ok: 'good', warning: 'warn', error: 'bad' };

/** The pages that list what is wrong. */
const PAGES: { [check in HealthCheck['check']]?: LinkProps } = {
  held_customers: { to: '/holds' },
  webhooks_disabled: pageOf.webhooks({ state: 'disabled' }),
  webhooks_failing: pageOf.webhooks({ state: 'failing' }),
};

/** The failing checks, worst first, with what to do, and all checks. */
export function HealthSection({ checks, time }: { checks: readonly HealthCheck[]; time: number }) {
  const words = useWords(overviewWords);
  const explain = useCheckWords(time);
  const wrong = checks
    .filter(({ state }) => state !== 'ok')
    .sort((a, b) => Number(b.state === 'error') - Number(a.state === 'error'));
  return (
    <Stack component="section" gap="sm" aria-label={words.health}>
      {wrong.map((check) => {
        const { name, says, whatToDo } = explain(check);
        const page = PAGES[check.check];
        return (
          <Notice key={check.check} tone={TONES[check.state]} title={`${name}${words.colon}${says}`}>
            <Labeled label={words.whatToDo} value={whatToDo} />
            {page && (
              <>
                {words.gap}
                <Link {...page}>{words.seeThem}</Link>
              </>
            )}
            {check.sinceTime !== null && (
              <>
                {words.gap}
                <Labeled label={words.since} value={<Time timeMs={check.sinceTime} />} />
              </>
            )}
          </Notice>
        );
      })}
      <details>
        <summary style={{ cursor: 'pointer' }}>
          {wrong.length === 0 ? (
            <Badge tone="good">{words.allWell}</Badge>
          ) : (
            `${words.allChecks}${words.gap}${words.aside(words.someChecks(wrong.length))}`
          )}
        </summary>
        <Stack component="ul" className="plain" gap="0.5rem" mt="0.5rem">
          {checks.map((check) => {
            const { name, says } = explain(check);
            return (
              <Group key={check.check} component="li" gap="0.25rem 0.6rem" align="baseline">
                <Badge tone={TONES[check.state]}>{words[check.state]}</Badge>
                <strong>{name}</strong>
                <span>{says}</span>
              </Group>
            );
          })}
        </Stack>
      </details>
    </Stack>
  );
}

/** Returns a function that words a check. `time`: when the service ran the checks, by its clock. */
function useCheckWords(time: number): (check: HealthCheck) => { name: string; says: string; whatToDo: string } {
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
