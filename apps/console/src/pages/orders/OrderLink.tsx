import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ordersWords } from './words.ts';

/** An order ID that links to its page and can be copied. */
export function OrderLink({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  return (
    <CopyId id={orderId} what={`${words.orderId} ${orderId}`}>
      <Link to="/orders/$orderId" params={{ orderId }}>
        {orderId}
      </Link>
    </CopyId>
  );
}
