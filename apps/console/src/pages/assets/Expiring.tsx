import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../api/operations.ts';
import type { FilterField } from '../../kit/filters.tsx';
import { AddressTabs, useAddress } from '../../kit/inputs.tsx';
import { Page, Query, Section } from '../../kit/page.tsx';
import { List } from '../../kit/table.tsx';
import { Count } from '../../kit/values.tsx';
import { TAG } from '../../words/language.ts';
import { writeTime } from '../../words/times.ts';
import { assetTable } from './Assets.tsx';
import { licenseTypeWords, assetsWords as words } from './words.ts';

const MONTHS = 6;
const PAST_DAYS = 30;

/** Returns what ends when: in the last days, and month by month in the reader's time zone. */
function listPeriods() {
  const now = new Date();
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const monthAt = (ahead: number) => new Date(year, month + ahead).getTime();
  const months = Array.from({ length: MONTHS }, (_, ahead) => {
    const from = monthAt(ahead);
    return { name: writeTime(from, 'local').slice(0, 7), from, to: monthAt(ahead + 1) - 1 };
  });
  const from = new Date(year, month, now.getDate() - PAST_DAYS).getTime();
  return [{ name: 'past', from, to: now.getTime() }, ...months];
}

/** The active assets that end, or a product on them, by month. It opens with the next month. */
export function ExpiringPage() {
  const format = new Intl.DateTimeFormat(TAG, { month: 'long', year: 'numeric' });
  const [periods] = useState(listPeriods);
  const table = assetTable();
  const filters: FilterField[] = [
    { name: 'enterpriseGlobalId', label: words.enterpriseGlobalId, kind: 'text' },
    { name: 'productUri', label: words.productUri, kind: 'text' },
    { name: 'licenseType', label: words.licenseType, kind: 'select', options: licenseTypeWords },
    { name: 'channelCode', label: words.channel, kind: 'text' },
  ];
  return (
    <Page title={words.expiring} lead={words.expiringLead}>
      <AddressTabs
        of="month"
        initial={periods[2]!.name}
        parts={periods.map(({ name, from, to }) => ({
          name,
          label: name === 'past' ? words.pastDays : format.format(from),
          content: (
            <>
              <Owners period={{ expiresFrom: String(from), expiresTo: String(to) }} />
              <List
                label={words.expiring}
                operation="listAssets"
                call={{ query: { expiresFrom: String(from), expiresTo: String(to) } }}
                filters={filters}
                {...table}
                none={[words.nothingEnds, words.nothingEndsAdvice]}
              />
            </>
          ),
        }))}
      />
    </Page>
  );
}

/** How many assets end in a period, and the enterprises with the most of them, each a filter of the list. */
function Owners({ period }: { period: { expiresFrom: string; expiresTo: string } }) {
  const [{ enterpriseGlobalId: chosen }, change] = useAddress();
  return (
    <Query of={useOperation('getExpiring', { query: period })}>
      {({ assets, enterpriseCount, enterprises, firstEnds }) =>
        (assets > 0 || firstEnds !== null) && (
          <Section title={words.ending(assets)}>
            {firstEnds !== null && <div className="small">{words.endingFirst(firstEnds)}</div>}
            <Group gap="xs" role="group" aria-label={words.endingOf}>
              {enterprises.map(({ enterpriseGlobalId: id, enterpriseName, assets: count }) => (
                <Button
                  key={id}
                  size="compact-sm"
                  maw="16rem"
                  variant={id === chosen ? 'light' : 'default'}
                  aria-pressed={id === chosen}
                  rightSection={
                    <span className="dimmed">
                      <Count value={count} />
                    </span>
                  }
                  onClick={() => change({ enterpriseGlobalId: id === chosen ? undefined : id, cursor: undefined })}
                >
                  <Text span inherit truncate title={enterpriseName}>
                    {enterpriseName}
                  </Text>
                </Button>
              ))}
              {enterpriseCount > enterprises.length && words.more(enterpriseCount - enterprises.length)}
            </Group>
          </Section>
        )
      }
    </Query>
  );
}
