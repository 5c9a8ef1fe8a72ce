import type { OperatorAuditEntry } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayCall } from '../../api/index.ts';
import { CopyId } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { auditWords } from './audit-words.ts';

/** The target of an entry, linked to its page if it has one. */
export function Target({ of: entry }: { of: OperatorAuditEntry }) {
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
