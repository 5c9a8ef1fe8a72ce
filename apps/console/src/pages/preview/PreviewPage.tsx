import { MAX_BATCH_BYTES } from '@lockstep/contract/words';
import { Button, FileButton, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { type ClipboardEvent, type DragEvent, type FormEvent, useRef, useState } from 'react';
import { useChange, useOperation } from '../../api/operations.ts';
import { useAddress } from '../../kit/inputs.tsx';
import { Answer, Failure, Page, Section } from '../../kit/page.tsx';
import { Notice } from '../../kit/signs.tsx';
import { writeNumber } from '../../words/formats.ts';
import styles from '../pages.module.css';
import { PreviewOutcomes } from './PreviewOutcomes.tsx';
import { previewWords as words } from './words.ts';

/** Previews a batch. */
export function PreviewPage() {
  const [{ appKey }, change] = useAddress();
  const preview = useChange('previewBatch');

  const show = (content: Blob) => {
    const call = { query: appKey === undefined ? {} : { appKey }, body: content };
    // The selection belonged to the previous batch.
    const onSuccess = () => change({ state: undefined, order: undefined, cursor: undefined }, true);
    preview.mutate(call, { onSuccess });
  };
  return (
    <Page title={words.preview} lead={words.lead}>
      <BatchForm isBusy={preview.isPending} onShow={show} />
      {preview.error !== null && (
        <Answer>
          <Failure failure={preview.error} />
        </Answer>
      )}
      {preview.data !== undefined && (
        <Answer>
          <PreviewOutcomes batch={preview.data} />
        </Answer>
      )}
    </Page>
  );
}

/** Longer text is treated as a file: in a field it would slow the browser down. */
const MAX_FIELD_CHARACTERS = 200_000;
const MAX_LISTED_APPLICATIONS = '200';
const BYTES_PER_KIB = 1024;

/** Takes a batch as a chosen or dropped file, or as pasted text. */
function BatchForm({ isBusy, onShow }: { isBusy: boolean; onShow: (content: Blob) => void }) {
  const [given, setGiven] = useState<{ name: string; content: Blob }>();
  const [fault, setFault] = useState<string>();
  const [isOver, setOver] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const forget = useRef<() => void>(null);
  const sizeOf = ({ size }: Blob) => {
    const kib = size / BYTES_PER_KIB;
    return kib < BYTES_PER_KIB ? `${writeNumber(kib, 1)} KiB` : `${writeNumber(kib / BYTES_PER_KIB, 1)} MiB`;
  };

  const fits = (content: Blob) => {
    const isTooLarge = content.size > MAX_BATCH_BYTES;
    setFault(isTooLarge ? words.tooLarge(sizeOf(content)) : undefined);
    return !isTooLarge;
  };
  const take = (name: string, content: Blob) => fits(content) && setGiven({ name, content });
  const takeFile = (file: File) => take(file.name, file);
  const choose = (file: File | null) => {
    if (file !== null) takeFile(file);
    // Allows the same file to be chosen again after it has changed.
    forget.current?.();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    const dropped = event.dataTransfer.getData('text');
    if (file !== undefined) takeFile(file);
    else if (dropped !== '') take(words.pastedText, new Blob([dropped]));
  };
  const paste = (event: ClipboardEvent) => {
    const [file] = event.clipboardData.files;
    const pasted = event.clipboardData.getData('text');
    if (file === undefined && pasted.length <= MAX_FIELD_CHARACTERS) return;
    event.preventDefault();
    if (file !== undefined) takeFile(file);
    else take(words.pastedText, new Blob([pasted]));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const content = given?.content ?? new Blob([text.current?.value.trim() ?? '']);
    if (content.size === 0) return setFault(words.nothingGiven);
    if (fits(content)) onShow(content);
  };

  return (
    <Section title={words.batch}>
      <Stack component="form" gap="0.9rem" onSubmit={submit}>
        <ApplicationChoice />
        {/* Dropping is a second way, beside the button. */}
        <Group
          justify="center"
          gap="0.6rem"
          p="1.2rem"
          className={styles.drop}
          data-over={isOver}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          {given === undefined ? (
            <>
              <span>{words.dropHere}</span>
              <FileButton accept=".json,application/json,text/plain" onChange={choose} resetRef={forget}>
                {(props) => (
                  <Button variant="default" size="compact-md" {...props}>
                    {words.chooseFile}
                  </Button>
                )}
              </FileButton>
            </>
          ) : (
            <>
              <strong>{words.chosen(given.name, sizeOf(given.content))}</strong>
              <Button variant="default" size="compact-md" onClick={() => setGiven(undefined)}>
                {words.replace}
              </Button>
            </>
          )}
        </Group>
        {given === undefined && (
          <Textarea
            ref={text}
            label={words.orPaste}
            description={words.pasteHint}
            rows={8}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: 'mono' }}
            onPaste={paste}
          />
        )}
        {fault !== undefined && (
          <div role="alert">
            <Notice tone="bad" title={fault} />
          </div>
        )}
        <div>
          <Button type="submit" loading={isBusy}>
            {words.preview}
          </Button>
        </div>
      </Stack>
    </Section>
  );
}

function ApplicationChoice() {
  const [{ appKey }, change] = useAddress();
  const { data } = useOperation('listApplications', { query: { limit: MAX_LISTED_APPLICATIONS } });
  const known = (data?.applications ?? []).map((each) => ({
    value: each.appKey,
    label: words.chosen(each.name, each.channels === null ? each.appKey : each.channels.join(words.comma)),
  }));
  const isListed = appKey === undefined || known.some(({ value }) => value === appKey);
  return (
    <NativeSelect
      label={words.application}
      description={words.applicationHint}
      value={appKey ?? ''}
      data={[
        { value: '', label: words.anyApplication },
        ...(isListed ? [] : [{ value: appKey, label: appKey }]),
        ...known,
      ]}
      onChange={(event) => change({ appKey: event.currentTarget.value || undefined }, true)}
    />
  );
}
