import type { ConsoleData } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useOperation } from '../../api/operations.ts';
import { Dialog } from '../../kit/dialogs.tsx';
import { ExportButton } from '../../kit/export.tsx';
import { Query, Section } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { CopyId, Count, Time } from '../../kit/values.tsx';
import { OrderLink } from '../links.tsx';
import { validityWords as validities, assetsWords as words } from './words.ts';

/** The most contents of an asset that its page shows. The export has all. */
const MAX_SHOWN = 1_000;

/** Loads the contents of an asset. */
export const useContents = (assetNum: string, isEnabled = true) =>
  useOperation('getAssetContents', { params: { assetNum }, query: { limit: String(MAX_SHOWN) } }, { isEnabled });

/** The contents of an asset: products, and merchandise with its products. */
export function AssetContents({ assetNum, isLent }: { assetNum: string; isLent: boolean }) {
  const contents = useContents(assetNum);
  return (
    <Section
      title={words.contents}
      actions={<ExportButton operation="getAssetContents" call={{ params: { assetNum }, query: {} }} />}
    >
      {isLent && <div className="small">{words.lentContents}</div>}
      <Query of={contents}>
        {({ instances, nextCursor }) => (
          <DataTable
            label={words.contents}
            columns={columnsOf(instances)}
            rows={nest(instances)}
            rowKey={({ id }) => id}
            empty={
              <Empty title={words.nothingOnIt}>
                {words.nothingOnItAdvice}
                <br />
                {words.staysActive}
              </Empty>
            }
            footer={nextCursor !== null && <div className="small">{words.moreContents}</div>}
          />
        )}
      </Query>
    </Section>
  );
}

type Instance = ConsoleData<'getAssetContents'>['instances'][number];
type Product = Extract<Instance, { kind: 'product' }>;

/** Returns products and merchandise as they were bought, each after its parent, with the number of its parents. */
function nest(instances: readonly Instance[]): (Instance & { depth: number })[] {
  const known = new Set(instances.map(({ id }) => id));
  const byParent = Map.groupBy(instances, ({ parentId }) => (known.has(parentId ?? '') ? parentId : null));
  const rowsIn = (parentId: string | null, depth: number): (Instance & { depth: number })[] =>
    (byParent.get(parentId) ?? []).flatMap((each) => [{ ...each, depth }, ...rowsIn(each.id, depth + 1)]);
  return rowsIn(null, 0);
}

const INDENT_REM = 1.25;

/** The columns of contents, without those that would be empty. */
const columnsOf = (rows: readonly Instance[]): Column<Instance & { depth: number }>[] => [
  {
    header: words.name,
    cell: (row) => (
      <span style={{ paddingInlineStart: `${row.depth * INDENT_REM}rem` }}>
        {row.kind === 'product' ? row.productName : <strong>{row.merchandiseName}</strong>}
      </span>
    ),
  },
  {
    header: words.product,
    cell: (row) => <CopyId id={row.kind === 'product' ? row.productUri : row.merchandiseNum} />,
  },
  { header: words.state, cell: ofProduct((product) => <Validity product={product} />) },
  { header: words.nodes, align: 'end', cell: ofProduct(({ limitConcurrent }) => <Count value={limitConcurrent} />) },
  {
    header: words.featureCount,
    isHidden: !rows.some((row) => row.kind === 'product' && row.featureCount > 0),
    cell: ofProduct((product) => product.featureCount > 0 && <Features product={product} />),
  },
  { header: words.begins, isMinor: true, cell: ofProduct(({ limitStartDate }) => <Time timeMs={limitStartDate} />) },
  { header: words.term, isMinor: true, cell: ({ timeDurationExpression }) => timeDurationExpression },
  { header: words.boughtBy, cell: (row) => <OrderLink orderId={row.boughtByOrderId} /> },
  {
    header: words.revocableBy,
    isMinor: true,
    isHidden: !rows.some(isHeldByOther),
    cell: (row) => isHeldByOther(row) && <OrderLink orderId={row.heldByOrderId} />,
  },
  {
    header: words.source,
    isMinor: true,
    isHidden: !rows.some(({ srcLicenseOrderId }) => srcLicenseOrderId),
    cell: ({ srcLicenseOrderId }) => srcLicenseOrderId && <OrderLink orderId={srcLicenseOrderId} />,
  },
];

const ofProduct = (show: (product: Product) => ReactNode) => (row: Instance) => row.kind === 'product' && show(row);
const isHeldByOther = (row: Instance) => row.heldByOrderId !== row.boughtByOrderId;

/** Whether a product is in force, and until when. */
function Validity({ product: { validity, limitEndDate, limitStartDate, trial, trialEndDate } }: { product: Product }) {
  const [tone, says, timeMs] = (
    {
      active: ['good', words.ends, limitEndDate],
      future: ['warn', words.begins, limitStartDate],
      expired: ['bad', validities.expired, limitEndDate],
    } as const
  )[validity];
  const time = timeMs !== null && <Time timeMs={timeMs} />;
  return (
    <>
      <Badge tone={tone}>
        {validity === 'active' && !time ? words.unlimited : says}
        {time && words.at}
        {time}
      </Badge>{' '}
      {trial && (
        <Badge>
          {words.trial} {trialEndDate !== null && <Time timeMs={trialEndDate} />}
        </Badge>
      )}
    </>
  );
}

function Features({ product: { productName, features, featureCount } }: { product: Product }) {
  const [isShown, setShown] = useState(false);
  const columns: Column<Product['features'][number]>[] = [
    { header: words.name, cell: ({ featureName }) => featureName },
    { header: words.code, cell: ({ featureCode }) => <CopyId id={featureCode} /> },
    { header: words.value, cell: ({ featureValue }) => featureValue },
  ];
  return (
    <>
      <Button size="compact-sm" variant="subtle" onClick={() => setShown(true)}>
        {words.features(featureCount)}
      </Button>
      {isShown && (
        <Dialog title={productName} onClose={() => setShown(false)}>
          <DataTable
            label={words.featureCount}
            columns={columns}
            rows={features}
            rowKey={({ featureCode }) => featureCode}
            footer={featureCount > features.length && <p>{words.moreFeatures}</p>}
          />
        </Dialog>
      )}
    </>
  );
}
