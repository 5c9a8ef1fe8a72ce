import type { OperatorAuditEntry } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayCall, useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Filters, NoRows, optionsOf, Page, Query, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import changedStyles from './Changed.module.css';
import { type ChangedField, listChanged } from './changed-fields.ts';
import { ACTIONS, actionWords, auditWords } from './words.ts';

const route = getRouteApi('/audit-log');

/** Actions of someone who was not logged in. */
const LOG_IN_REFUSED = new Set(['operator.log_in_failed', 'operator.locked_out']);

/** The audit log of operators and of the command, newest first. */
export function AuditLogPage() {
  const words = useWords(auditWords);
  const actions: Record<string, string> = useWords(actionWords);
  const { operator, action, target, cursor } = route.useSearch();
  const filters = { operator, action, target };
  const log = useOperation('listAuditLog', { query: { ...filters, cursor } }, { keepsPrevious: true });
  const columns = useColumns();
  return (
    <Page title={words.auditLog} lead={words.intro}>
      <Filters
        fields={[
          { name: 'operator', label: words.operator, kind: 'text' },
          {
            name: 'action',
            label: words.action,
            kind: 'select',
            options: optionsOf(ACTIONS, (action) => actions[action] ?? action),
          },
          { name: 'target', label: words.target, kind: 'text', placeholder: words.targetExample },
        ]}
      />
      <Query of={log}>
        {({ entries, nextCursor }) => (
          <DataTable
            label={words.auditLog}
            columns={columns}
            rows={entries}
            rowKey={({ entryId }) => entryId}
            isStale={log.isPlaceholderData}
            empty={<NoRows title={words.none}>{words.noneHelp}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<OperatorAuditEntry>[] {
  const words = useWords(auditWords);
  const actions: Record<string, string> = useWords(actionWords);
  const mayCall = useMayCall();
  const isAdmin = mayCall('listOperators');
  return [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} /> },
    {
      header: words.operator,
      width: '8rem',
      cell: ({ operator, actor, action }) =>
        operator === null ? (
          (LOG_IN_REFUSED.has(action) ? words.notLoggedIn : words.commandOf)(actor ?? '')
        ) : isAdmin ? (
          <Link to="/operators/$name" params={{ name: operator }}>
            {operator}
          </Link>
        ) : (
          operator
        ),
    },
    {
      header: words.action,
      width: '9rem',
      cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
    },
    { header: words.target, width: '11rem', cell: (entry) => <Target of={entry} /> },
    { header: words.changed, width: '16rem', cell: (entry) => <Changed of={entry} /> },
    {
      header: words.requestId,
      isMinor: true,
      cell: ({ requestId }) => <CopyId id={requestId} what={words.requestId} />,
    },
  ];
}

/** The target of an entry, linked to its page if it has one. */
function Target({ of: entry }: { of: OperatorAuditEntry }) {
  const words = useWords(auditWords);
  const isAdmin = useMayCall()('listOperators');
  const { target } = entry;
  if (target === null) return <>–</>;
  return (
    <CopyId id={target} what={target}>
      {linkTo(entry, target, words, isAdmin) ?? target}
    </CopyId>
  );
}

function linkTo(
  { action, after }: OperatorAuditEntry,
  target: string,
  words: Pick<typeof auditWords.en, 'batchNumber' | 'webhook'>,
  isAdmin: boolean,
): ReactNode {
  const [kind] = action.split('.', 1);
  switch (kind) {
    case 'application':
      return (
        <Link to="/applications/$appKey" params={{ appKey: target }}>
          {target}
        </Link>
      );
    case 'batch':
      return (
        <Link to="/batches/$batchId" params={{ batchId: target }}>
          {words.batchNumber(target)}
        </Link>
      );
    case 'channel':
      return (
        <Link to="/channels/$channelCode" params={{ channelCode: target }}>
          {target}
        </Link>
      );
    case 'order':
      return (
        <Link to="/orders/$orderId" params={{ orderId: target }}>
          {target}
        </Link>
      );
    case 'webhook':
      return (
        <Link to="/webhooks/$webhookId" params={{ webhookId: target }}>
          {words.webhook(target)}
        </Link>
      );
    case 'employee':
    case 'administrator': {
      const { enterpriseGlobalId } = (after ?? {}) as { enterpriseGlobalId?: string };
      return enterpriseGlobalId === undefined ? undefined : (
        <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
          {target}
        </Link>
      );
    }
    case 'operator':
      return isAdmin ? (
        <Link to="/operators/$name" params={{ name: target }}>
          {target}
        </Link>
      ) : undefined;
    default:
      return undefined;
  }
}

/** The changes of an entry, field by field: `status: pending → approved`. */
function Changed({ of: { before, after } }: { of: OperatorAuditEntry }) {
  const fields = listChanged(before, after);
  if (fields.length === 0) return <>–</>;
  return (
    <ul className={changedStyles.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          {field.name === 'difference' ? (
            <Difference of={field.after as OrderDifference} />
          ) : (
            <Field of={field} isNew={before === null} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Field({ of: field, isNew }: { of: ChangedField; isNew: boolean }) {
  const words = useWords(auditWords);
  return (
    <>
      {field.name !== '' && <span className={changedStyles.name}>{`${field.name}${words.colon}`}</span>}
      {!isNew && (
        <>
          <Value of={field.before} name={field.name} />
          {' → '}
        </>
      )}
      <Value of={field.after} name={field.name} />
    </>
  );
}

/** How resent orders differ from the failed ones, as the service records it. */
interface OrderDifference {
  leftOut: number;
  added: number;
  changes: readonly { sequence: number; field: string; before?: unknown; after?: unknown }[];
  more: number;
}

function Difference({ of: { leftOut, added, changes, more } }: { of: OrderDifference }) {
  const words = useWords(auditWords);
  const write = (value: unknown) =>
    value === undefined ? words.absent : typeof value === 'string' ? value : JSON.stringify(value);
  const lines = [
    ...(leftOut > 0 ? [words.leftOut(leftOut)] : []),
    ...(added > 0 ? [words.added(added)] : []),
    ...changes.map(
      ({ sequence, field, before, after }) =>
        `${words.inOrder(sequence, field)}${words.colon}${write(before)} → ${write(after)}`,
    ),
    ...(more > 0 ? [words.moreChanges(more)] : []),
  ];
  return (
    <>
      <span className={changedStyles.name}>
        {words.difference}
        {words.colon}
      </span>
      {lines.length === 0 ? (
        words.noDifference
      ) : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A value in the audit log. Fields whose names end in Time hold milliseconds. */
function Value({ of: value, name }: { of: unknown; name: string }) {
  const words = useWords(auditWords);
  if (value === null || value === undefined) return <>{words.nothingBefore}</>;
  if (typeof value === 'number' && name.endsWith('Time')) return <Time timeMs={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return <>{value.join(words.comma)}</>;
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
