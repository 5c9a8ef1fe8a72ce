import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  type NativeSelectProps,
  Tabs,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { kitWords } from '../words/kit.ts';
import { readLocalTime, writeLocalTime } from '../words/times.ts';
import { useWords } from '../words/words.ts';
import styles from './kit.module.css';
import type { Search } from './search.ts';

/** Returns the page's search parameters, and a function that changes some of them. Undefined removes one. */
export function useAddress(): [Search<string>, (change: Search<string>) => void] {
  const search: Search<string> = useSearch({ strict: false });
  const navigate = useNavigate();
  // Keeps the scroll position. Adds a history entry, so that the browser's Back button works.
  return [
    search,
    (change) => void navigate({ to: '.', search: { ...search, ...change } as never, resetScroll: false }),
  ];
}

interface Part {
  name: string;
  label: string;
  content: ReactNode;
}

/** Tabs of a page. The address names the open tab in the parameter `of`; the first tab is the default. */
export function AddressTabs({ of, parts }: { of: string; parts: readonly Part[] }) {
  const [search, change] = useAddress();
  const first = parts[0]!;
  const chosen = parts.find(({ name }) => name === search[of]) ?? first;
  const choose = (name: string | null) => change({ [of]: name === first.name ? undefined : name!, cursor: undefined });
  return (
    <Tabs value={chosen.name} keepMounted={false} onChange={choose}>
      <Tabs.List>
        {parts.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={chosen.name} pt="md">
        {chosen.content}
      </Tabs.Panel>
    </Tabs>
  );
}

type TextFieldProps = Omit<TextInputProps, 'onChange' | 'value'> & { value: string; onChange: (text: string) => void };

/** A text field of a form. The browser proposes no values. */
export function TextField({ onChange, ...props }: TextFieldProps) {
  const change = (event: FormEvent<HTMLInputElement>) => onChange(event.currentTarget.value);
  return <TextInput autoComplete="off" maxLength={255} onChange={change} {...props} />;
}

type ChoiceProps<Value extends string> = Omit<NativeSelectProps, 'data' | 'onChange' | 'value'> & {
  value: Value;
  /** The words of each value. */
  options: Readonly<Record<Value, string>>;
  onChange: (value: Value) => void;
};

/** Selects one of a few values. */
export function Choice<Value extends string>({ options, onChange, ...props }: ChoiceProps<Value>) {
  const data = Object.entries<string>(options).map(([value, label]) => ({ value, label }));
  return <NativeSelect data={data} onChange={(event) => onChange(event.currentTarget.value as Value)} {...props} />;
}

/** One filter, bound to the address parameter of its name. A time is in milliseconds; a flag is `true` or absent. */
export interface FilterField {
  name: string;
  label: string;
  kind: 'text' | 'select' | 'time' | 'until' | 'flag';
  /** The options of a select; "Any" or `placeholder` is added. */
  options?: Readonly<Record<string, string>>;
  placeholder?: string;
}

/** Returns the options of a select for values, labeled by `words` or else by the values. */
export function optionsOf<Value extends string>(
  values: readonly Value[],
  words: Readonly<Record<Value, string>> | ((value: Value) => string) = (value) => value,
): Record<Value, string> {
  const entries = values.map((value) => [value, typeof words === 'function' ? words(value) : words[value]]);
  return Object.fromEntries(entries) as Record<Value, string>;
}

/** Filters of a list, kept in the page's address. Changing one returns to the first page. */
export function Filters({ fields }: { fields: readonly FilterField[] }) {
  const [value, change] = useAddress();
  const words = useWords(kitWords);
  const names = fields.map(({ name }) => name);
  const isFiltered = names.some((name) => value[name] !== undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const entries = fields.map(({ name, kind }) => {
      const text = String(form.get(name) ?? '').trim();
      return [name, text === '' ? undefined : readFilter(kind, text)];
    });
    change({ ...Object.fromEntries(entries), cursor: undefined });
  };
  const clear = () => change(Object.fromEntries([...names, 'cursor'].map((name) => [name, undefined])));
  return (
    <search>
      {/* The key resets the form when the address changes. */}
      <form
        key={JSON.stringify(names.map((name) => value[name]))}
        className={styles.filters}
        aria-label={words.filters}
        onSubmit={submit}
      >
        {fields.map((field) => (
          <FilterInput key={field.name} field={field} value={value[field.name]} />
        ))}
        <Group gap="0.5rem" className={styles.fixed ?? ''}>
          <Button type="submit" variant="default">
            {words.apply}
          </Button>
          {isFiltered && (
            <Button variant="subtle" onClick={clear}>
              {words.clearFilters}
            </Button>
          )}
        </Group>
      </form>
    </search>
  );
}

/** Reads a filter as the address has it. A field shows seconds; the end of a period includes its last one. */
function readFilter(kind: FilterField['kind'], text: string): string | undefined {
  if (kind !== 'time' && kind !== 'until') return text;
  const time = readLocalTime(text);
  return kind === 'until' && time !== undefined ? String(Number(time) + 999) : time;
}

function FilterInput({ field, value = '' }: { field: FilterField; value: string | undefined }) {
  const words = useWords(kitWords);
  const { name, label, kind, options = {}, placeholder } = field;
  // Selects and checkboxes apply immediately; text applies on submit.
  const [given, setGiven] = useState(value);
  if (kind === 'flag') {
    return (
      <Checkbox
        className={styles.fixed}
        pb="0.5rem"
        name={name}
        value="true"
        label={label}
        defaultChecked={value === 'true'}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      />
    );
  }
  if (kind === 'select') {
    const data = Object.entries({ '': placeholder ?? words.any, ...options }).map(([each, text]) => ({
      value: each,
      label: text,
    }));
    return (
      <NativeSelect
        name={name}
        label={label}
        value={given}
        data={data}
        onChange={(event) => {
          setGiven(event.currentTarget.value);
          const { form } = event.currentTarget;
          queueMicrotask(() => form?.requestSubmit());
        }}
      />
    );
  }
  const isTime = kind === 'time' || kind === 'until';
  return (
    <TextInput
      name={name}
      label={label}
      type={isTime ? 'datetime-local' : 'text'}
      step={isTime ? 1 : undefined}
      defaultValue={isTime ? writeLocalTime(value) : value}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
