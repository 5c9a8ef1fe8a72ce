import type { HealthCheck } from '@lockstep/contract/console';
import { Group, Stack } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Badge, Notice, type Tone } from '../../kit/signs.tsx';
import { Labeled, Time } from '../../kit/values.tsx';
import { writeDuration, writeNumber } from '../../words/formats.ts';
import { pageOf } from '../links.tsx';
import { checkWords, type Found } from './check-words.ts';
import { overviewWords as words } from './words.ts';

const TONES: Record<HealthCheck['state'], Tone> = { ok: 'good', warning: 'warn', error: 'bad' };

/** The pages that list what is wrong. */
const PAGES: { [check in HealthCheck['check']]?: LinkProps } = {
  held_customers: { to: '/holds' },
  webhooks_disabled: pageOf.webhooks({ state: 'disabled' }),
  webhooks_failing: pageOf.webhooks({ state: 'failing' }),
};

/** The failing checks, worst first, with what to do, and all checks. */
export function HealthSection({ checks, time }: { checks: readonly HealthCheck[]; time: number }) {
  const wrong = checks
    .filter(({ state }) => state !== 'ok')
    .sort((a, b) => Number(b.state === 'error') - Number(a.state === 'error'));
  return (
    <Stack component="section" gap="sm" aria-label={words.health}>
      {wrong.map((check) => {
        const { name, says, whatToDo } = explain(check, time);
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
            const { name, says } = explain(check, time);
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

/** Words a check. `time`: when the service ran the checks, by its clock. */
function explain({ check, state, sinceTime, count, names }: HealthCheck, time: number) {
  const [first = ''] = names;
  const found: Found = {
    age: writeDuration(Math.max(0, time - (sinceTime ?? time))),
    count: writeNumber(count ?? 0),
    kind: first === 'redis' ? 'Redis' : 'PostgreSQL',
    kinds: names.join(words.comma),
    most: first,
  };
  const phrase = checkWords[`${check}_${state === 'ok' ? 'is' : 'wrong'}`];
  const says = typeof phrase === 'string' ? phrase : phrase(found);
  return { name: checkWords[`${check}_name`], says, whatToDo: checkWords[`${check}_do`] };
}
