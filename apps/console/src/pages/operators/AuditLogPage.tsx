import type { OperatorAuditEntry, OrderDifference } from '@lockstep/contract/console';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useMayCall } from '../../api/operations.ts';
import { Page } from '../../kit/page.tsx';
import { Empty } from '../../kit/signs.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { pageOf } from '../links.tsx';
import styles from '../pages.module.css';
import { type ChangedField, listChanged } from './changed-fields.ts';
import { actionWords, auditWords as words } from './words.ts';

/** Actions of someone who was not logged in. */
const LOG_IN_REFUSED = new Set(['operator.log_in_failed', 'operator.locked_out']);

/** The audit log of operators and of the command, newest first. */
export function AuditLogPage() {
  const actions: Record<string, string> = actionWords;
  const isAdmin = useMayCall()('listOperators');
  const columns: Column<OperatorAuditEntry>[] = [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} /> },
    {
      header: words.operator,
      width: '8rem',
      cell: ({ operator, actor, action }) => {
        if (operator === null) return (LOG_IN_REFUSED.has(action) ? words.notLoggedIn : words.commandOf)(actor ?? '');
        return isAdmin ? <Link {...pageOf.operator(operator)}>{operator}</Link> : operator;
      },
    },
    {
      header: words.action,
      width: '9rem',
      cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
    },
    { header: words.target, width: '11rem', cell: (entry) => <Target of={entry} /> },
    { header: words.changed, width: '16rem', isWide: true, cell: (entry) => <Changed of={entry} /> },
    {
      header: words.requestId,
      isMinor: true,
      width: '7rem',
      cell: ({ requestId }) => <CopyId id={requestId} what={words.requestId} />,
    },
  ];
  return (
    <Page title={words.auditLog} lead={words.intro}>
      <List
        label={words.auditLog}
        operation="listAuditLog"
        filters={[
          { name: 'operator', label: words.operator, kind: 'text' },
          { name: 'action', label: words.action, kind: 'select', options: actions },
          { name: 'target', label: words.target, kind: 'text', placeholder: words.targetExample },
          { name: 'recordedFrom', until: 'recordedTo', label: words.time, kind: 'past' },
        ]}
        columns={columns}
        rowKey={({ entryId }) => entryId}
        none={[words.none, words.noneHelp]}
        noMatches={<Empty title={words.noMatches}>{words.noMatchesHelp}</Empty>}
      />
    </Page>
  );
}

/** The target of an entry, linked to its page if it has one. */
function Target({ of: { action, target, after } }: { of: OperatorAuditEntry }) {
  const isAdmin = useMayCall()('listOperators');
  const { enterpriseGlobalId } = (after ?? {}) as { enterpriseGlobalId?: string };
  if (target === null) return <>–</>;
  const pages: { [kind: string]: [page: LinkProps, text?: string] } = {
    application: [pageOf.application(target)],
    batch: [pageOf.batch(target), words.batchNumber(target)],
    channel: [pageOf.channel(target)],
    order: [pageOf.order(target)],
    webhook: [pageOf.webhook(target), words.webhook(target)],
    ...(enterpriseGlobalId && { employee: [pageOf.enterprise(enterpriseGlobalId)] }),
    ...(enterpriseGlobalId && { administrator: [pageOf.enterprise(enterpriseGlobalId)] }),
    ...(isAdmin && { operator: [pageOf.operator(target)] }),
  };
  const [page, text = target] = pages[action.split('.', 1)[0]!] ?? [];
  return (
    <CopyId id={target} what={target}>
      {page ? <Link {...page}>{text}</Link> : target}
    </CopyId>
  );
}

/** The changes of an entry, field by field: `status: pending → approved`. */
function Changed({ of: { before, after } }: { of: OperatorAuditEntry }) {
  const fields = listChanged(before, after);
  if (fields.length === 0) return <>–</>;
  return (
    <ul className={`plain ${styles.wraps}`}>
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
  return (
    <>
      {field.name !== '' && <span className="dimmed">{`${field.name}${words.colon}`}</span>}
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

function Difference({ of: { leftOut, added, changes, more } }: { of: OrderDifference }) {
  const write = (value: unknown) =>
    value === undefined ? words.nothing : typeof value === 'string' ? value : JSON.stringify(value);
  const lines = [
    ...(leftOut > 0 ? [words.leftOut(leftOut)] : []),
    ...(added > 0 ? [words.added(added)] : []),
    ...changes.map(
      ({ sequence, field, before, after }) =>
        `${words.inOrder(String(sequence), field)}${words.colon}${write(before)} → ${write(after)}`,
    ),
    ...(more > 0 ? [words.moreChanges(more)] : []),
  ];
  return (
    <>
      <span className="dimmed">{`${words.difference}${words.colon}`}</span>
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
  if (value === null || value === undefined) return <>{words.nothing}</>;
  if (typeof value === 'number' && name.endsWith('Time')) return <Time timeMs={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return <>{value.join(words.comma)}</>;
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
