import type { PreviewedOrder } from '@lockstep/contract/console';
import { useEffect, useRef } from 'react';
import { useCauseWords } from '../../words/causes.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from '../assets/AssetLink.tsx';
import { NearestProducts } from '../orders/NearestProducts.tsx';
import { AssetsNow } from './AssetsNow.tsx';
import { OutcomeBadge } from './OutcomeBadge.tsx';
import styles from './PreviewOutcomes.module.css';
import { previewWords } from './words.ts';

/** What one order would do, beside the current state. */
export function OrderBeside({ order }: { order: PreviewedOrder }) {
  const words = useWords(previewWords);
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus to the chosen order.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView();
  }, []);
  return (
    <section aria-label={words.order(String(order.sequence))}>
      <h3 ref={heading} tabIndex={-1} className={styles.order}>
        {words.order(String(order.sequence))} <OutcomeBadge state={order.state} />
      </h3>
      <div className={styles.beside}>
        <div className={styles.side}>
          <h4>{words.would}</h4>
          <Would order={order} />
        </div>
        <div className={styles.side}>
          <h4>{words.now}</h4>
          <AssetsNow numbers={order.numbers} numberCount={order.numberCount} />
        </div>
      </div>
    </section>
  );
}

function Would({ order }: { order: PreviewedOrder }) {
  const words = useWords(previewWords);
  const causeWords = useCauseWords();
  const { cause, message, nearest, assets, assetCount, products, productCount } = order;
  if (cause !== null) {
    return (
      <>
        <p>{causeWords(cause, message)}</p>
        <p>
          {words.cause}
          {words.colon}
          <code>{cause}</code>
        </p>
        <NearestProducts nearest={nearest} />
      </>
    );
  }
  if (assetCount + productCount === 0) return <p>{words.noEffect}</p>;
  return (
    <>
      <Effects title={words.assets} count={assetCount} effects={assets} />
      <Effects title={words.productsOf} count={productCount} effects={products} />
    </>
  );
}

type Effect = PreviewedOrder['assets'][number] | PreviewedOrder['products'][number];

function Effects({ title, count, effects }: { title: string; count: number; effects: readonly Effect[] }) {
  const words = useWords(previewWords);
  const write = useNumberFormat();
  if (count === 0) return null;
  return (
    <>
      <h5>
        {title}
        {words.gap}
        {words.aside(write(count))}
      </h5>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <ul className={styles.effects} tabIndex={0} aria-label={title}>
        {effects.map((effect, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one order may do the same twice.
          <li key={place}>
            {words[effect.action]} {'productUri' in effect && <code>{effect.productUri}</code>}{' '}
            <AssetLink assetNum={effect.assetNum} />
          </li>
        ))}
        {count > effects.length && <li>{words.more(write(count - effects.length))}</li>}
      </ul>
    </>
  );
}
