import { ActionIcon, Button, type ButtonProps, Divider, Group, Menu, Popover, Stack, TextInput } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconBookmark, IconCheck, IconPlus, IconX } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Search } from '../api/search.ts';
import { kitWords as words } from '../words/kit.ts';
import { readLocalTime, writeLocalTime, writeTime } from '../words/times.ts';
import { Dialog } from './dialogs.tsx';
import { TextField, useAddress } from './inputs.tsx';

/** One filter, bound to the address parameter of its name. */
export interface FilterField {
  name: string;
  label: string;
  /** A period is of the past or of the future, in milliseconds. A flag is `true` or absent. */
  kind: 'text' | 'select' | 'flag' | 'past' | 'future';
  /** The parameter of a period's end. A period without one is open. */
  until?: string;
  /** The options of a select. */
  options?: Readonly<Record<string, string>>;
  /** An example of a text, or what a select without a choice means, if not any. */
  placeholder?: string;
}

/** Returns the address parameters of a filter. */
export const namesOf = ({ name, until }: FilterField): string[] => (until === undefined ? [name] : [name, until]);

/** Returns what removes parameters from the address. */
const without = (names: readonly string[]): Search => Object.fromEntries(names.map((name) => [name, undefined]));

/** The number of filters that are shown although they are not set. */
const MAX_UNSET = 6;

/** Filters of a list as chips, kept in the page's address. Changing one applies it and returns to the first page. */
export function Filters({ fields }: { fields: readonly FilterField[] }) {
  const [address, change] = useAddress();
  const [added, setAdded] = useState<string>();
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const isSet = (field: FilterField) => namesOf(field).some((name) => address[name] !== undefined);
  const unset = fields.filter((field) => !isSet(field));
  const offered = unset.slice(0, isNarrow ? 0 : MAX_UNSET);
  const more = unset.filter((field) => !offered.includes(field) && field.name !== added);
  const apply = (search: Search) => change({ ...search, cursor: undefined });
  const names = fields.flatMap(namesOf);
  return (
    <Group component="search" flex={1} gap="0.25rem 0.5rem" aria-label={words.filters}>
      {fields
        .filter((field) => !more.includes(field))
        .map((field) => (
          <Chip key={field.name} field={field} isSet={isSet(field)} isAdded={field.name === added} onApply={apply} />
        ))}
      {more.length > 0 && (
        <Menu>
          <Menu.Target>
            <Button {...CHIP} leftSection={<IconPlus size={14} />}>
              {words.moreFilters}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {more.map(({ name, label }) => (
              <Menu.Item key={name} onClick={() => setAdded(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Views names={names} />
      {unset.length < fields.length && (
        <Button {...CHIP} variant="subtle" onClick={() => apply(without(names))}>
          {words.clearFilters}
        </Button>
      )}
    </Group>
  );
}

const CHIP: ButtonProps = { size: 'compact-sm', variant: 'default', fw: 500, radius: 'xl' };

interface ChipProps {
  field: FilterField;
  isSet: boolean;
  /** Whether the reader has just chosen it from the other filters. */
  isAdded: boolean;
  onApply: (search: Search) => void;
}

function Chip({ field, isSet, isAdded, onApply }: ChipProps) {
  const [address] = useAddress();
  const [isOpen, setOpen] = useState(isAdded);
  const { name, label, kind, options = {}, placeholder } = field;
  const value = address[name];
  const apply = (search: Search) => {
    setOpen(false);
    onApply(search);
  };
  const says = isSet ? writeFilter(field, address) : kind === 'select' ? placeholder : undefined;
  const look = isSet
    ? { variant: 'light', leftSection: kind === 'flag' && <IconCheck size={14} /> }
    : { leftSection: <IconPlus size={14} />, style: { borderStyle: 'dashed' } };
  const text = says === undefined ? label : `${label}${words.colon}${says}`;
  const clear = isSet && (
    <ActionIcon
      size={24}
      variant="light"
      radius="xl"
      aria-label={words.clearFilter(label)}
      onClick={() => apply(without(namesOf(field)))}
    >
      <IconX size={14} />
    </ActionIcon>
  );
  if (kind === 'flag') {
    const toggle = () => apply({ [name]: isSet ? undefined : 'true' });
    return (
      <Button {...CHIP} {...look} aria-pressed={isSet} onClick={toggle}>
        {label}
      </Button>
    );
  }
  if (kind === 'select') {
    return (
      <Group gap={2}>
        <Menu opened={isOpen} onChange={setOpen}>
          <Menu.Target>
            <Button {...CHIP} {...look}>
              {text}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
            {Object.entries(options).map(([each, word]) => (
              <Menu.Item
                key={each}
                leftSection={each === value ? <IconCheck size={14} /> : undefined}
                onClick={() => apply({ [name]: each })}
              >
                {word}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        {clear}
      </Group>
    );
  }
  return (
    <Group gap={2}>
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <Button {...CHIP} {...look} onClick={() => setOpen(!isOpen)}>
            {text}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          {kind === 'text' ? (
            <Fill onFill={(form) => apply({ [name]: String(form.get(name)).trim() || undefined })}>
              <TextInput
                data-autofocus
                label={label}
                name={name}
                defaultValue={value}
                placeholder={placeholder}
                autoComplete="off"
                w="16rem"
              />
            </Fill>
          ) : (
            <Period field={field} onApply={apply} />
          )}
        </Popover.Dropdown>
      </Popover>
      {clear}
    </Group>
  );
}

function Fill({ onFill, children }: { onFill: (form: FormData) => void; children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onFill(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <Button type="submit">{words.apply}</Button>
      </Stack>
    </form>
  );
}

function Period({ field: { name, until, kind }, onApply }: { field: FilterField; onApply: ChipProps['onApply'] }) {
  const [address] = useAddress();
  const presets = kind === 'past' ? past() : future();
  const apply = (from: string | undefined, to: string | undefined) =>
    onApply({ [name]: from, ...(until !== undefined && { [until]: to }) });
  const fill = (form: FormData) => {
    const [from, to] = [name, until ?? ''].map((each) => readLocalTime(String(form.get(each))));
    // A field shows seconds; the end of a period includes its last one.
    apply(from, to && String(Number(to) + 999));
  };
  const field = (each: string, label: string) => (
    <TextInput type="datetime-local" step={1} name={each} label={label} defaultValue={writeLocalTime(address[each])} />
  );
  return (
    <Stack gap={0}>
      {Object.entries(presets).map(([preset, [fromMs, toMs]]) => (
        <Button
          key={preset}
          variant="subtle"
          justify="start"
          onClick={() => apply(fromMs?.toString(), toMs?.toString())}
        >
          {words[preset as keyof ReturnType<typeof past>]}
        </Button>
      ))}
      <Divider my="sm" />
      <Fill onFill={fill}>
        {field(name, words.from)}
        {until !== undefined && field(until, words.until)}
      </Fill>
    </Stack>
  );
}

type Span = readonly [fromMs: number | undefined, toMs: number | undefined];

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** Returns midnight of today, or of a day before or after, at an hour of the reader's time zone. */
function dayAt(days: number, hours = 0): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours).getTime();
}

/** Returns when the last night began and ended, in the reader's time zone. */
export const lastNight = () => [dayAt(-1, 18), dayAt(0, 8)] as const;

const past = () => {
  const agoMs = (hours: number): Span => [Date.now() - hours * HOUR_MS, undefined];
  return {
    lastHour: agoMs(1),
    today: [dayAt(0), undefined] as Span,
    lastNight: lastNight(),
    lastDays7: agoMs(7 * DAY_HOURS),
    lastDays30: agoMs(30 * DAY_HOURS),
  };
};

const future = () => {
  const now = new Date();
  const monthAt = (months: number) => new Date(now.getFullYear(), now.getMonth() + months).getTime();
  return {
    ended: [undefined, Date.now()] as Span,
    nextDays7: [Date.now(), dayAt(8) - 1] as Span,
    nextDays30: [Date.now(), dayAt(31) - 1] as Span,
    thisMonth: [monthAt(0), monthAt(1) - 1] as Span,
    nextMonth: [monthAt(1), monthAt(2) - 1] as Span,
  };
};

/** Writes what a set filter is set to. */
function writeFilter({ name, until, kind, options = {} }: FilterField, address: Search): string | undefined {
  const value = address[name];
  if (kind === 'text') return value;
  if (kind === 'select') return options[value ?? ''] ?? value;
  const write = (timeMs: string | undefined) =>
    timeMs === undefined ? '…' : writeTime(Number(timeMs), 'local').replace(/:\d\d$/, '');
  return `${write(value)} – ${write(until === undefined ? undefined : address[until])}`;
}

/** Sets of filters that the reader named, per page, kept in this browser. */
function Views({ names }: { names: readonly string[] }) {
  const [address, change] = useAddress();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [saved, setSaved] = useLocalStorage<Record<string, Search>>({
    key: `lockstep-views ${path}`,
    defaultValue: {},
  });
  const [name, setName] = useState<string>();
  const current = Object.fromEntries(
    names.flatMap((each) => (address[each] === undefined ? [] : [[each, address[each]]])),
  );
  const isSame = (view: Search) => JSON.stringify(view) === JSON.stringify(current);
  const shown = Object.entries(saved).find(([, view]) => isSame(view))?.[0];
  const isFiltered = Object.keys(current).length > 0;
  const close = () => setName(undefined);
  const save = () => {
    setSaved({ ...saved, [name!.trim()]: current });
    close();
  };
  if (!isFiltered && Object.keys(saved).length === 0) return null;
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button {...CHIP} variant="subtle" leftSection={<IconBookmark size={14} />}>
            {shown ?? words.views}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(saved).map(([each, view]) => (
            <Menu.Item key={each} onClick={() => change({ ...without(names), ...view, cursor: undefined })}>
              {each}
            </Menu.Item>
          ))}
          {isFiltered && shown === undefined && <Menu.Item onClick={() => setName('')}>{words.saveView}</Menu.Item>}
          {shown !== undefined && (
            <Menu.Item
              onClick={() => setSaved(Object.fromEntries(Object.entries(saved).filter(([each]) => each !== shown)))}
            >
              {words.forgetView(shown)}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {name !== undefined && (
        <Dialog
          title={words.saveView}
          onClose={close}
          dismiss={{ children: words.cancel }}
          confirm={{ children: words.save, onClick: save, disabled: name.trim() === '' }}
        >
          <TextField data-autofocus label={words.name} value={name} onChange={setName} />
        </Dialog>
      )}
    </>
  );
}
