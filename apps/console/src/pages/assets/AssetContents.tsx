import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Pager, Query, Tree, useAddress } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { buildContentsTree } from './contents-tree.tsx';
import { assetsWords } from './words.ts';

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
            <Pager nextCursor={nextCursor} shown={instances?.length ?? 0} />
          )}
        </>
      )}
    </Query>
  );
}
