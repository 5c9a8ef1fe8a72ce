import type { ConsoleData } from '@lockstep/contract/console';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/dialogs.tsx';
import { Choice, TextField } from '../../kit/inputs.tsx';
import { useWords } from '../../words/words.ts';
import { OrderLink } from '../links.tsx';
import { ordersWords } from './words.ts';

const MAX_NAMED = 10;

/** Marks a pending order as failed. If its customer has later pending orders, asks what to do with them. */
export function FailOrder({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  const [reason, setReason] = useState('');
  const [waiting, setWaiting] = useState<ConsoleData<'failOrder'>>();
  const [later, setLater] = useState<'keep' | 'fail' | null>(null);
  return (
    <ConfirmButton
      operation="failOrder"
      call={{ params: { licenseOrderId: orderId }, body: { reason: reason.trim(), later } }}
      label={words.failOrder}
      title={words.failTitle}
      isDangerous
      canConfirm={reason.trim() !== '' && (waiting === undefined || later !== null)}
      done={({ outcome, orders }) => (outcome === 'failed' ? words.failedNow(orders) : words.notPending)}
      onDone={(answer) => {
        if (answer.outcome !== 'later_pending') return true;
        setWaiting(answer);
        return false;
      }}
    >
      <p>{words.failText}</p>
      <TextField label={words.reason} description={words.reasonHint} value={reason} onChange={setReason} required />
      {waiting !== undefined && (
        <>
          <div role="alert">
            {words.laterPending(waiting.orders)}
            {waiting.licenseOrderIds.slice(0, MAX_NAMED).map((id) => (
              <div key={id}>
                <OrderLink orderId={id} />
              </div>
            ))}
            {waiting.orders > MAX_NAMED && words.more(waiting.orders - MAX_NAMED)}
          </div>
          <Choice
            label={words.laterOrders}
            value={later ?? ''}
            options={{ '': words.laterChoose, keep: words.laterKeep, fail: words.laterFail }}
            onChange={(chosen) => setLater(chosen === '' ? null : chosen)}
            required
          />
        </>
      )}
    </ConfirmButton>
  );
}
