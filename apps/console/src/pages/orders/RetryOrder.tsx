import { ConfirmButton } from '../../kit/dialogs.tsx';
import { useWords } from '../../words/words.ts';
import { ordersWords } from './words.ts';

/** Retries a held order at once, or one that failed because of a fault. */
export function RetryOrder({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  return (
    <ConfirmButton
      operation="retryOrder"
      call={{ params: { licenseOrderId: orderId } }}
      label={words.retryNow}
      title={words.retryNowTitle(orderId)}
      done={({ isRetried }) => (isRetried ? words.retryNowDone : words.notRetried)}
    >
      <p>{words.retryNowSays}</p>
    </ConfirmButton>
  );
}
