import type { ConsoleData } from '@lockstep/contract/console';
import type { ReactNode } from 'react';
import { Badge, CopyId, Time, type TreeNode } from '../../kit/index.ts';
import { OrderLink } from './OrderLink.tsx';

type Instance = ConsoleData<'getAssetContents'>['instances'][number];
type Product = Extract<Instance, { kind: 'product' }>;

/** What a tree says of products and merchandises. */
export interface ContentsWords {
  product: string;
  merchandise: string;
  concurrent: (count: string) => string;
  from: string;
  until: string;
  unlimited: string;
  trial: string;
  trialUntil: string;
  duration: (expression: string) => string;
  boughtBy: string;
  revocableBy: string;
  source: string;
  features: (count: string) => string;
  moreFeatures: string;
  elsewhere: string;
}

/** Nests products and merchandises as they were bought. What is in something that another page shows stands apart. */
export function buildContentsTree(instances: readonly Instance[], words: ContentsWords): TreeNode[] {
  const known = new Set(instances.map(({ id }) => id));
  const byParent = Map.groupBy(instances, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const nodesIn = (parentId: string | null): TreeNode[] =>
    (byParent.get(parentId) ?? []).map((instance) => ({
      key: instance.id,
      label: <Name instance={instance} words={words} />,
      detail: <Detail instance={instance} words={words} isApart={parentId === null && instance.parentId !== null} />,
      nodes: nodesIn(instance.id),
    }));
  return nodesIn(null);
}

interface Shown {
  instance: Instance;
  words: ContentsWords;
}

function Name({ instance, words }: Shown): ReactNode {
  const isProduct = instance.kind === 'product';
  const code = isProduct ? instance.productUri : instance.merchandiseNum;
  return (
    <>
      <Badge tone={isProduct ? 'good' : 'neutral'}>{isProduct ? words.product : words.merchandise}</Badge>{' '}
      {isProduct ? instance.productName : instance.merchandiseName} <CopyId id={code} />
    </>
  );
}

function Detail({ instance, words, isApart }: Shown & { isApart: boolean }): ReactNode {
  const { boughtByOrderId, heldByOrderId, srcLicenseOrderId, timeDurationExpression } = instance;
  return (
    <>
      {isApart && <div>{words.elsewhere}</div>}
      {instance.kind === 'product' && <Limits product={instance} words={words} />}
      {timeDurationExpression !== null && <div>{words.duration(timeDurationExpression)}</div>}
      <div>
        {words.boughtBy} <OrderLink orderId={boughtByOrderId} /> <Time timeMs={instance.createdTime} />
      </div>
      {heldByOrderId !== boughtByOrderId && (
        <div>
          {words.revocableBy} <OrderLink orderId={heldByOrderId} />
        </div>
      )}
      {srcLicenseOrderId !== null && (
        <div>
          {words.source} <OrderLink orderId={srcLicenseOrderId} />
        </div>
      )}
      {instance.kind === 'product' && instance.featureCount > 0 && <Features product={instance} words={words} />}
    </>
  );
}

interface ShownProduct {
  product: Product;
  words: ContentsWords;
}

function Limits({ product, words }: ShownProduct): ReactNode {
  const { limitStartDate, limitEndDate, limitConcurrent, trial, trialEndDate } = product;
  return (
    <div>
      {words.concurrent(String(limitConcurrent))}
      {limitStartDate !== null && (
        <>
          {' · '}
          {words.from} <Time timeMs={limitStartDate} />
        </>
      )}
      {' · '}
      {limitEndDate === null ? (
        words.unlimited
      ) : (
        <>
          {words.until} <Time timeMs={limitEndDate} />
        </>
      )}
      {trial && (
        <>
          {' · '}
          {trialEndDate === null ? (
            words.trial
          ) : (
            <>
              {words.trialUntil} <Time timeMs={trialEndDate} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function Features({ product: { features, featureCount }, words }: ShownProduct): ReactNode {
  return (
    <details>
      <summary>{words.features(String(featureCount))}</summary>
      <ul>
        {features.map(({ featureCode, featureName, featureValue }) => (
          <li key={featureCode}>
            {featureName} (<code>{featureCode}</code>): {featureValue}
          </li>
        ))}
        {featureCount > features.length && <li>{words.moreFeatures}</li>}
      </ul>
    </details>
  );
}
