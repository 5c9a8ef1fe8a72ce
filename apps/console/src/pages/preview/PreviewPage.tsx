import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { RawJson, useChange } from '../../api/index.ts';
import { Failure, Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchForm } from './BatchForm.tsx';
import { PreviewOutcomes } from './PreviewOutcomes.tsx';
import { previewWords } from './words.ts';

const route = getRouteApi('/preview');

/** Previews a batch. */
export default function PreviewPage() {
  const words = useWords(previewWords);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const preview = useChange('previewBatch');
  // Each outcome resets the selection, which belonged to the previous batch.
  const [answers, setAnswers] = useState(0);

  const show = (content: Blob) => {
    const { appKey } = search;
    const call = { query: appKey === undefined ? {} : { appKey }, body: new RawJson(content) };
    preview.mutate(call, {
      onSuccess: () => {
        setAnswers((count) => count + 1);
        void navigate({ search: appKey === undefined ? {} : { appKey }, replace: true });
      },
    });
  };
  return (
    <Page title={words.preview} lead={words.lead}>
      <BatchForm
        appKey={search.appKey}
        onAppKey={(appKey) => void navigate({ search: { ...search, appKey }, replace: true })}
        isBusy={preview.isPending}
        onShow={show}
      />
      {preview.error !== null && <Failure failure={preview.error} />}
      {preview.data !== undefined && (
        <PreviewOutcomes
          key={answers}
          batch={preview.data}
          state={search.state}
          chosen={search.order}
          onLook={(look) =>
            void navigate({ search: { ...search, cursor: undefined, ...look }, replace: true, resetScroll: false })
          }
        />
      )}
    </Page>
  );
}
