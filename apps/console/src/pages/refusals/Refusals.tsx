import type { ConsoleData } from '@lockstep/contract/console';
import { Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { useAddress } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { Empty } from '../../kit/signs.tsx';
import { DataTable, List, type Table } from '../../kit/table.tsx';
import { CopyId, Figure, Figures, Time } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { LATEST } from '../batches/Batches.tsx';
import { ApplicationLink, AssetLink, pageOf } from '../links.tsx';
import styles from '../pages.module.css';
import { refusalsWords as words } from './words.ts';

type Refusal = ConsoleData<'listRefusals'>['refusals'][number];

const REFRESH_MS = 15_000;

/** The refused calls of applications, with the counts of each cause. */
export function RefusalsPage() {
  const [{ cursor: _, ...filters }] = useAddress();
  return (
    <Page title={words.refusals} lead={words.intro}>
      <List
        label={words.refusals}
        operation="listRefusals"
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'refusedFrom', until: 'refusedTo', label: words.time, kind: 'past' },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'cause', label: words.cause, kind: 'text', placeholder: 'nonce_replayed' },
          { name: 'operation', label: words.operation, kind: 'text', placeholder: 'createBatchOrder' },
          { name: 'requestId', label: words.requestId, kind: 'text' },
        ]}
        above={({ refusals, counts }) =>
          refusals.length > 0 &&
          Object.keys(counts).length > 0 && (
            <section aria-label={words.counts}>
              <div className="small">{words.counts}</div>
              <Figures>
                {Object.entries(counts).map(([cause, count]) => (
                  <Figure key={cause} label={cause} value={count} link={pageOf.refusals({ ...filters, cause })} />
                ))}
              </Figures>
            </section>
          )
        }
        {...refusalTable}
        none={[words.noneTitle, words.none]}
      />
    </Page>
  );
}

/** The latest refused calls of an application, with a link to all of them. */
export function LatestRefusals({ appKey }: { appKey: string }) {
  const { columns, rowKey } = refusalTable;
  const ofAny = columns.filter(({ header }) => header !== words.application);
  const found = useOperation('listRefusals', { query: { appKey, ...LATEST } }, { refreshMs: REFRESH_MS });
  const empty = <Empty title={words.noneTitle}>{words.none}</Empty>;
  return (
    <Section title={words.refusals} actions={<Link {...pageOf.refusals({ appKey })}>{words.all}</Link>} of={found}>
      {({ refusals }) => (
        <DataTable label={words.refusals} rows={refusals} columns={ofAny} rowKey={rowKey} empty={empty} />
      )}
    </Section>
  );
}

const refusalTable: Table<Refusal> = {
  rowKey: ({ requestId, time }) => `${requestId} ${time}`,
  columns: [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} isExact /> },
    { header: words.application, width: '9rem', cell: (refusal) => <ApplicationLink of={refusal} /> },
    {
      header: words.operation,
      width: '10rem',
      cell: ({ operation, requestId }) => (
        <Box py="0.375rem">
          <div className="mono">{operation}</div>
          <CopyId id={requestId} what={words.requestId} />
        </Box>
      ),
    },
    { header: words.cause, width: '18rem', isWide: true, cell: (refusal) => <Why of={refusal} /> },
    { header: words.batch, isMinor: true, width: '9rem', cell: ({ channelOrderId }) => channelOrderId ?? '–' },
  ],
};

/** Why a call was refused: the cause in words, further bad fields, and the assets that it named. */
function Why({ of: refusal }: { of: Refusal }) {
  return (
    <Box py="0.375rem" className={styles.wraps}>
      <code>{refusal.cause}</code> {explainCause(refusal)}
      {refusal.faults.slice(1).map(({ path, ...fault }) => (
        <div key={`${path} ${fault.cause}`}>
          <code>{path}</code> {explainCause(fault).replace(`${path}：`, '')}
        </div>
      ))}
      <Group gap="xs">
        {refusal.assetNums.map((assetNum) => (
          <AssetLink key={assetNum} assetNum={assetNum} />
        ))}
      </Group>
    </Box>
  );
}
