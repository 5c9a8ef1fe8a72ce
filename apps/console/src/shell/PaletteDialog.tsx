import type { SearchHit } from '@lockstep/contract/console';
import { Box, Input, Modal, Text, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useMay, useMe, useOperation } from '../api/operations.ts';
import { useReturnFocus } from '../kit/dialogs.tsx';
import { StateBadge } from '../kit/signs.tsx';
import { pageOf } from '../pages/links.tsx';
import type { KnownState } from '../words/codes.ts';
import { counted, defineAreaWords } from '../words/define-words.ts';
import { language, languages } from '../words/language.ts';
import { useAreas } from './areas.ts';
import { useLogOut } from './log-out.ts';
import styles from './Palette.module.css';
import { chooseLanguage } from './Preferences.tsx';
import { shellWords as names } from './words.ts';

const words = defineAreaWords({
  pages: ['Pages', '页面'],
  newApplication: ['New application', '新建应用'],
  newOperator: ['New operator', '新建操作员'],
  all: [(text: string) => `All that match “${text}”`, (text) => `所有匹配“${text}”的结果`],
  found: [(count: string) => counted(count, 'result'), (count) => `${count} 条结果`],
  nothing: [
    'No results. Orders, batches, webhooks and refused calls match by their full ID or number, assets by its start, others by any part.',
    '没有结果。订单、批次、Webhook 和被拒调用须输入完整的 ID 或编号，资产可按编号开头，其他可按任意部分搜索。',
  ],
});

/** Waits for the end of quick typing. */
const TYPING_MS = 150;
/** A kind with so many hits may have more, which its list shows. */
const MAX_HITS = 5;

const reveal = (item: HTMLElement | null) => item?.scrollIntoView({ block: 'nearest' });

/** What the palette offers. */
interface Item {
  key: string;
  group: string;
  name: string;
  detail?: string | null;
  state?: string | null;
  run: () => unknown;
}

interface PaletteProps {
  /** What was typed before the field got the focus. */
  typed: { current: string };
  onClose: () => void;
}

/** Finds pages and actions at once, and what the service has while the operator types. */
export default function PaletteDialog({ typed: typedBefore, onClose }: PaletteProps) {
  const id = useId();
  useReturnFocus();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  const wanted = text.trim();
  const [typed] = useDebouncedValue(wanted, TYPING_MS);
  const { data, error, isPlaceholderData } = useOperation(
    'search',
    { query: { text: typed } },
    { isEnabled: typed !== '', keepsPrevious: true },
  );
  const isCurrent = wanted === typed && (wanted === '' || error !== null || (data !== undefined && !isPlaceholderData));
  const matches = (...texts: (string | null)[]) => texts.join('\n').toLowerCase().includes(wanted.toLowerCase());
  // Until the answer arrives, hits of the text before stay if they match.
  const hits =
    wanted === '' ? [] : (data?.hits ?? []).filter((hit) => isCurrent || matches(hit.name, hit.detail, hit.id));
  const commands = useCommands().filter(({ name }) => matches(name));
  const items = [...commands, ...useItemsOf(hits, wanted)];
  const active = items.find(({ key }) => key === chosen) ?? items[0];

  const run = (item: Item) => {
    onClose();
    void item.run();
  };
  const move = (step: number) => {
    if (active !== undefined) setChosen(items.at((items.indexOf(active) + step) % items.length)?.key);
  };
  // Enter waits for the answer, such as to a pasted id.
  useEffect(() => {
    if (!isWaiting || !isCurrent) return;
    setWaiting(false);
    if (active !== undefined) run(active);
  });

  const press = (event: KeyboardEvent) => {
    // Enter may end the writing of a Chinese word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && (chosen !== undefined || isCurrent || commands.length > 0)) active && run(active);
    else if (event.key === 'Enter') setWaiting(true);
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="10vh" transitionProps={{ duration: 0 }} lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={names.searchButton}>
        <Input
          data-autofocus
          size="md"
          variant="unstyled"
          px="md"
          role="combobox"
          aria-label={names.search}
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={items.length > 0 ? id : undefined}
          aria-activedescendant={active && `${id}-${items.indexOf(active)}`}
          placeholder={names.search}
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(undefined);
            setWaiting(false);
          }}
          onFocus={() => {
            setText((now) => now + typedBefore.current);
            typedBefore.current = '';
          }}
          onKeyDown={press}
        />
        {items.length > 0 && (
          <Box
            id={id}
            role="listbox"
            aria-label={names.searchButton}
            mah="60vh"
            px="xs"
            style={{ overflowY: 'auto', borderBlockStart: '1px solid var(--mantine-color-default-border)' }}
          >
            {[...Map.groupBy(items, ({ group }) => group)].map(([group, ofGroup]) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be in a listbox.
              <div key={group} role="group" aria-label={group}>
                <Text size="xs" c="dimmed" p="xs" aria-hidden>
                  {group}
                </Text>
                {ofGroup.map((item) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field.
                  // biome-ignore lint/a11y/useFocusableInteractive: keys go to the field.
                  <div
                    key={item.key}
                    id={`${id}-${items.indexOf(item)}`}
                    role="option"
                    aria-selected={item === active}
                    ref={item === active ? reveal : undefined}
                    className={styles.item}
                    onMouseMove={() => setChosen(item.key)}
                    onClick={() => run(item)}
                  >
                    <Text component="bdi" inherit truncate>
                      {item.name}
                    </Text>
                    <Text span size="sm" c="dimmed" truncate flex={1} miw="3rem">
                      {item.detail}
                    </Text>
                    {item.state && <StateBadge state={item.state as KnownState} />}
                  </div>
                ))}
              </div>
            ))}
          </Box>
        )}
        <Text size="sm" c="dimmed" px="md" py="xs" m={0} role="status">
          {error !== null ? (
            error.message
          ) : !isCurrent ? (
            words.loading
          ) : items.length > 0 ? (
            <VisuallyHidden>{words.found(items.length)}</VisuallyHidden>
          ) : (
            words.nothing
          )}
        </Text>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The pages and actions that the operator's role permits. */
function useCommands(): Item[] {
  const may = useMay();
  const areas = useAreas();
  const { byProvider } = useMe();
  const navigate = useNavigate();
  const logOut = useLogOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const setting = (name: string, value: string) => `${name}${words.colon}${value}`;
  const actions: [name: string, run: () => unknown][] = [
    [words.newApplication, () => navigate({ to: '/applications/new' })],
    [words.newOperator, () => navigate({ to: '/operators' })],
  ];
  if (!byProvider) actions.push([names.ownPassword, () => navigate({ to: '/password' })]);
  for (const scheme of ['light', 'dark', 'auto'] as const)
    if (scheme !== colorScheme) actions.push([setting(names.colors, names[scheme]), () => setColorScheme(scheme)]);
  for (const code of ['en', 'zh'] as const)
    if (code !== language) actions.push([setting(names.language, languages[code]), () => chooseLanguage(code)]);
  actions.push([names.logOut, logOut]);
  return [
    ...areas.map(({ to, name }) => ({ key: to, group: words.pages, name: names[name], run: () => navigate({ to }) })),
    // The first two are for admins.
    ...actions.slice(may('admin') ? 0 : 2).map(([name, run]) => ({ key: name, group: words.actions, name, run })),
  ];
}

/** Where a hit leads to. */
function linkOf({ kind, id, detail }: SearchHit): LinkProps {
  if (kind === 'employee') return { ...pageOf.enterprise(id), search: { tab: 'employees', text: detail ?? '' } };
  if (kind === 'refusal') return pageOf.refusals({ requestId: id });
  return pageOf[kind](id);
}

/** The lists that have all hits of a kind. */
const LISTS: { [kind in SearchHit['kind']]?: (text: string) => LinkProps } = {
  asset: (assetNum) => pageOf.assets({ assetNum }),
  enterprise: (text) => pageOf.enterprises({ text }),
  customer: (text) => pageOf.customers({ text }),
  application: (search) => ({ to: '/applications', search: { search } }),
  channel: (search) => pageOf.channels({ search }),
};

/** The items of hits, and of the lists that may have more. */
function useItemsOf(hits: readonly SearchHit[], text: string): Item[] {
  const navigate = useNavigate();
  return [...Map.groupBy(hits, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    const group = words[kind === 'batch' ? 'batches' : (`${kind}s` as const)];
    const list = ofKind.length < MAX_HITS ? undefined : LISTS[kind];
    return [
      ...ofKind.map((hit) => ({
        ...hit,
        key: `${kind} ${hit.id} ${hit.detail}`,
        group,
        run: () => navigate(linkOf(hit)),
      })),
      ...(list ? [{ key: kind, group, name: words.all(text), run: () => navigate(list(text)) }] : []),
    ];
  });
}
