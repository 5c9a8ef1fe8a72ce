import type { ComparedPreview } from '@lockstep/contract/console';
import { Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import styles from './NearestProducts.module.css';
import { OrderLink } from './OrderLink.tsx';
import { ordersWords } from './words.ts';

type Nearest = ComparedPreview['nearest'][number];
type Compared = Nearest['values'][number];

/** The closest products to one that was not found, with both values of each field that differs. */
export function NearestProducts({ nearest }: { nearest: readonly Nearest[] }) {
  const words = useWords(ordersWords);
  if (nearest.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section className={styles.scroller} tabIndex={0} aria-label={words.nearest}>
      <table className={styles.nearest}>
        <thead>
          <tr>
            <th scope="col">{words.nearest}</th>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.inOrder}</th>
            <th scope="col">{words.onAsset}</th>
          </tr>
        </thead>
        <tbody>
          {nearest.flatMap(({ id, productUri, values }, place) =>
            values.map((compared, index) => (
              <tr key={`${id ?? place}-${compared.field}`}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={values.length}>
                    {productUri}
                  </th>
                )}
                <td>
                  <code>{compared.field}</code>
                </td>
                <td>
                  <Value field={compared.field} value={compared.wanted} />
                </td>
                <td>
                  <Value field={compared.field} value={compared.found} />
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Value({ field, value }: { field: Compared['field']; value: Compared['wanted'] }) {
  const words = useWords(ordersWords);
  if (value === null) return <>{words.notSet}</>;
  if (field === 'srcLicenseOrderId') return <OrderLink orderId={String(value)} />;
  if (field === 'limitStartDate' || field === 'limitEndDate') return <Time timeMs={Number(value)} />;
  return <>{value}</>;
}
