import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { ExportButton } from '../../kit/export.tsx';
import { useAddress } from '../../kit/inputs.tsx';
import { Query } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { Pager } from '../../kit/table.tsx';
import { CopyId, Line, Time, Tree, type TreeNode } from '../../kit/values.tsx';
import { useNumberFormat, useWords } from '../../words/words.ts';
import { OrderLink } from '../links.tsx';
import { assetsWords, validityWords } from './words.ts';

/** The contents of an asset: products, and merchandise with its products. */
export function AssetContents({ assetNum, isLent }: { assetNum: string; isLent: boolean }) {
  const words = useWords(assetsWords);
  const [{ cursor }] = useAddress();
  const contents = useOperation(
    'getAssetContents',
    { params: { assetNum }, query: { cursor } },
    { keepsPrevious: true },
  );
  const instances = contents.data?.instances;
  const nodes = buildContentsTree(instances ?? []);
  return (
    <Query of={contents}>
      {({ nextCursor }) => (
        <>
          {isLent && <p>{words.lentContents}</p>}
          {nodes.length === 0 ? (
            <Empty title={words.nothingOnIt}>
              {words.nothingOnItAdvice}
              {words.gap}
              <Link to="/assets/$assetNum" params={{ assetNum }} search={{ tab: 'history' }}>
                {words.seeHistory}
              </Link>
              <br />
              {words.staysActive}
            </Empty>
          ) : (
            <Tree nodes={nodes} label={words.contents} />
          )}
          {(nodes.length > 0 || cursor !== undefined) && (
            <Pager
              nextCursor={nextCursor}
              shown={instances?.length ?? 0}
              save={<ExportButton operation="getAssetContents" call={{ params: { assetNum }, query: {} }} />}
            />
          )}
        </>
      )}
    </Query>
  );
}

type Instance = ConsoleData<'getAssetContents'>['instances'][number];
type Product = Extract<Instance, { kind: 'product' }>;

/**
 * Nests products and merchandise as they were bought. An item whose parent is on another page goes to the top level.
 */
function buildContentsTree(instances: readonly Instance[]): TreeNode[] {
  const known = new Set(instances.map(({ id }) => id));
  const byParent = Map.groupBy(instances, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const nodesIn = (parentId: string | null): TreeNode[] =>
    (byParent.get(parentId) ?? []).map((instance) => ({
      key: instance.id,
      label: <Name instance={instance} />,
      detail: <Detail instance={instance} isApart={parentId === null && instance.parentId !== null} />,
      nodes: nodesIn(instance.id),
    }));
  return nodesIn(null);
}

function Name({ instance }: { instance: Instance }) {
  const words = useWords(assetsWords);
  const validities = useWords(validityWords);
  const isProduct = instance.kind === 'product';
  return (
    <>
      <Badge tone={isProduct && instance.validity === 'active' ? 'good' : 'neutral'}>
        {isProduct ? words.product : words.merchandise}
      </Badge>{' '}
      {isProduct && instance.validity !== 'active' && (
        <Badge tone={instance.validity === 'expired' ? 'bad' : 'warn'}>{validities[instance.validity]}</Badge>
      )}{' '}
      {isProduct ? instance.productName : instance.merchandiseName}
    </>
  );
}

function Detail({ instance, isApart }: { instance: Instance; isApart: boolean }) {
  const words = useWords(assetsWords);
  const { boughtByOrderId, heldByOrderId, srcLicenseOrderId, timeDurationExpression } = instance;
  return (
    <>
      {isApart && <div>{words.elsewhere}</div>}
      <div>
        <CopyId id={instance.kind === 'product' ? instance.productUri : instance.merchandiseNum} />
      </div>
      {instance.kind === 'product' && <Limits product={instance} />}
      {timeDurationExpression !== null && <div>{words.duration(timeDurationExpression)}</div>}
      <div>
        {words.boughtBy} <OrderLink orderId={boughtByOrderId} /> <Time timeMs={instance.createdTime} />
      </div>
      {heldByOrderId !== boughtByOrderId && (
        <Line label={words.revocableBy} value={<OrderLink orderId={heldByOrderId} />} />
      )}
      {srcLicenseOrderId !== null && <Line label={words.source} value={<OrderLink orderId={srcLicenseOrderId} />} />}
      {instance.kind === 'product' && instance.featureCount > 0 && <Features product={instance} />}
    </>
  );
}

function Limits({ product }: { product: Product }) {
  const words = useWords(assetsWords);
  const write = useNumberFormat();
  const { limitStartDate, limitEndDate, limitConcurrent, trial, trialEndDate } = product;
  return (
    <div>
      {words.concurrent(write(limitConcurrent))}
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

function Features({ product: { features, featureCount } }: { product: Product }) {
  const words = useWords(assetsWords);
  const write = useNumberFormat();
  return (
    <details>
      <summary>{words.features(write(featureCount))}</summary>
      <ul>
        {features.map(({ featureCode, featureName, featureValue }) => (
          <li key={featureCode}>
            {featureName} <code>{featureCode}</code>
            {words.colon}
            {featureValue}
          </li>
        ))}
        {featureCount > features.length && <li>{words.moreFeatures}</li>}
      </ul>
    </details>
  );
}
