import { useOperation } from '../../api/index.ts';
import { Empty, JsonView, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { NamedAssets } from './NamedAssets.tsx';
import { ordersWords } from './words.ts';

/** The request of an order, or why it is no longer stored. */
export function OrderContent({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  const content = useOperation('getOrderContent', { params: { licenseOrderId: orderId } });
  return (
    <Section title={words.content}>
      <Query of={content}>
        {(read) => {
          switch (read.kind) {
            case 'kept':
              return (
                <>
                  <NamedAssets order={read.order} />
                  <p>{words.contentHidden}</p>
                  <JsonView value={read.order} label={words.contentJson} />
                </>
              );
            case 'too_large':
              return <Empty title={words.tooLarge}>{words.tooLargeAdvice}</Empty>;
            case 'expired':
              return <Empty title={words.expired}>{words.expiredAdvice}</Empty>;
            default:
              return <Empty title={words.gone}>{words.goneAdvice}</Empty>;
          }
        }}
      </Query>
    </Section>
  );
}
