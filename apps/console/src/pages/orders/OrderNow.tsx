import type { ConsoleOrder } from '@lockstep/contract/console';
import { useOperation } from '../../api/index.ts';
import { Notice, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { PreviewOutcome } from './PreviewOutcome.tsx';
import { ordersWords } from './words.ts';

/** A preview of a pending or failed order. */
export function OrderNow({ orderId, state }: { orderId: string; state: ConsoleOrder['state'] }) {
  const words = useWords(ordersWords);
  const preview = useOperation('previewOrder', { params: { licenseOrderId: orderId } });
  return (
    <Section title={words.now}>
      {state === 'pending' && <p>{words.nowPending}</p>}
      <Query of={preview}>
        {(read) =>
          read === null ? (
            <p>{words.nowUnknown}</p>
          ) : (
            <Notice
              tone={read.state === 'succeeded' ? 'good' : 'warn'}
              title={read.state === 'succeeded' ? words.nowSucceeds : words.nowFails}
            >
              <PreviewOutcome preview={read} />
            </Notice>
          )
        }
      </Query>
    </Section>
  );
}
