import type { PreviewedOrder } from '@lockstep/contract/console';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../api/index.ts';
import { Empty, Fields, Query, useAddress } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetContents } from '../assets/AssetContents.tsx';
import { AssetLink } from '../assets/AssetLink.tsx';
import { OwnerLink } from '../enterprises/OwnerLink.tsx';
import styles from './PreviewOutcomes.module.css';
import { previewWords } from './words.ts';

/** The current state of an order's assets, one at a time. Active assets come first. */
export function AssetsNow({ numbers, numberCount }: Pick<PreviewedOrder, 'numbers' | 'numberCount'>) {
  const words = useWords(previewWords);
  const write = useNumberFormat();
  const [, change] = useAddress();
  const [chosen, setChosen] = useState(() => (numbers.find(({ isActive }) => isActive) ?? numbers[0])?.assetNum);
  const named = numbers.find(({ assetNum }) => assetNum === chosen);
  if (named === undefined) return null;
  return (
    <>
      {numberCount > 1 && (
        <NativeSelect
          className={styles.number ?? ''}
          label={words.assetNum}
          value={named.assetNum}
          data={numbers.map(({ assetNum }) => assetNum)}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
            change({ cursor: undefined });
          }}
        />
      )}
      {numberCount > numbers.length && <p>{words.more(write(numberCount - numbers.length))}</p>}
      {named.isActive ? (
        <AssetNow key={named.assetNum} assetNum={named.assetNum} />
      ) : (
        <Empty title={words.newNumber(named.assetNum)}>{words.newNumberAdvice}</Empty>
      )}
    </>
  );
}

function AssetNow({ assetNum }: { assetNum: string }) {
  const words = useWords(previewWords);
  const asset = useOperation('getAsset', { params: { assetNum } });
  return (
    <>
      <Query of={asset}>
        {({ active }) => (
          <Fields
            fields={[
              { label: words.assetNum, value: <AssetLink assetNum={assetNum} /> },
              { label: words.customer, value: active === null ? null : <OwnerLink owner={active.owner} /> },
            ]}
          />
        )}
      </Query>
      <AssetContents assetNum={assetNum} isLent={asset.data?.active?.lentInto != null} />
    </>
  );
}
