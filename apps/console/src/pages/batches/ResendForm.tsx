import type { ComparedPreview, ConsoleBatchDetail, OrdersToResend } from '@lockstep/contract/console';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useChange } from '../../api/index.ts';
import { ConfirmButton, Failure, Notice, Section } from '../../kit/index.ts';
import { useFaultWords } from '../../words/causes.ts';
import { jsonFaultsInChinese } from '../../words/causes-zh.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { CheckedOrders } from './CheckedOrders.tsx';
import { LeaveGuard } from './LeaveGuard.tsx';
import styles from './ResendForm.module.css';
import { readOrders } from './read-orders.ts';
import { resendWords } from './resend-words.ts';

interface Draft {
  channelOrderId: string;
  text: string;
}

/** The editor of failed orders. It requires a check before sending, and asks before unsaved changes are lost. */
export function ResendForm({ batch, failed }: { batch: ConsoleBatchDetail; failed: OrdersToResend }) {
  const words = useWords(resendWords);
  const write = useNumberFormat();
  const navigate = useNavigate();
  const [first] = useState<Draft>(() => ({
    channelOrderId: failed.channelOrderId,
    text: JSON.stringify(failed.orderList, null, 2),
  }));
  const [draft, setDraft] = useState(first);
  const [checked, setChecked] = useState<{ draft: Draft; orders: ComparedPreview[] }>();
  const isSent = useRef(false);
  const check = useChange('checkResend');

  const faultWords = useFaultWords(jsonFaultsInChinese);
  const { orders, fault } = readOrders(draft.text, words, faultWords);
  const isNumbered = draft.channelOrderId.trim() !== '';
  const params = { batchId: batch.batchId };
  const body = { channelOrderId: draft.channelOrderId, orderList: orders ?? [] };
  const isCurrent = checked?.draft === draft;
  const failing = checked?.orders.filter(({ state }) => state === 'failed').length ?? 0;

  const runCheck = () =>
    check.mutate({ params, body }, { onSuccess: (data) => setChecked({ draft, orders: data.orders }) });
  return (
    <>
      <LeaveGuard isAsking={() => draft !== first && !isSent.current} />
      {failed.hiddenPasswords > 0 && (
        <Notice tone="neutral" title={words.hidden(write(failed.hiddenPasswords))}>
          {words.hiddenAdvice}
        </Notice>
      )}
      <TextInput
        className={styles.number ?? ''}
        label={words.newNumber}
        description={words.numberHint}
        error={isNumbered ? undefined : words.numberMissing}
        value={draft.channelOrderId}
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft({ ...draft, channelOrderId: event.currentTarget.value })}
      />
      <Textarea
        classNames={{ input: styles.editor ?? '' }}
        label={words.orders}
        description={words.ordersHint}
        error={fault ?? undefined}
        value={draft.text}
        rows={24}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      />
      <div className={styles.actions}>
        <Button
          variant="default"
          loading={check.isPending}
          disabled={orders === null || orders.length === 0 || !isNumbered}
          onClick={runCheck}
        >
          {words.check}
        </Button>
        <ConfirmButton
          operation="resendOrders"
          call={{ params, body }}
          label={words.send}
          title={words.sendTitle(write(orders?.length ?? 0))}
          isDisabled={!isCurrent}
          done={(sent) => words.sent(write(sent.orders))}
          onDone={(sent) => {
            isSent.current = true;
            return navigate({ to: '/batches/$batchId', params: { batchId: sent.batchId } });
          }}
        >
          <p>{words.sendText(batch.applicationName)}</p>
          {failing > 0 && <p>{words.sendFailing(write(failing))}</p>}
        </ConfirmButton>
        <span>{checked === undefined ? words.checkFirst : isCurrent ? '' : words.changedSince}</span>
      </div>
      {check.error !== null && <Failure failure={check.error} />}
      {checked !== undefined && (
        <Section title={words.outcome}>
          <output>
            {words.wouldSucceed(write(checked.orders.length - failing), write(checked.orders.length))}
            {words.gap}
            {failing > 0 ? words.wouldFail(write(failing)) : words.allGood}
          </output>
          <CheckedOrders orders={checked.orders} isStale={!isCurrent} />
        </Section>
      )}
    </>
  );
}
