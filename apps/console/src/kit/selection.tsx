import { Button, Checkbox, type CheckboxProps, Group, Paper } from '@mantine/core';
import { type ChangeEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { kitWords as words } from '../words/kit.ts';

/** What can be done with chosen rows. */
export type Actions<Row> = (chosen: readonly Row[]) => ReactNode;

/**
 * Returns a column of checkboxes, and the bar with the actions on chosen rows. Shift and a click choose all rows from
 * the one before. Rows that are no longer shown are not chosen.
 */
export function useSelection<Row>(rows: readonly Row[], rowKey: (row: Row) => string, actions?: Actions<Row>) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const before = useRef<string>(undefined);
  const chosen = rows.filter((row) => keys.has(rowKey(row)));
  const isAll = chosen.length === rows.length;
  const choose = (changed: readonly Row[], isChosen: boolean) => {
    const names = changed.map(rowKey);
    setKeys(new Set(isChosen ? [...keys, ...names] : [...keys].filter((key) => !names.includes(key))));
  };
  const press = (row: Row, { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const from = rows.findIndex((each) => rowKey(each) === before.current);
    const to = rows.indexOf(row);
    const isRange = from !== -1 && (nativeEvent as PointerEvent).shiftKey;
    choose(isRange ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [row], currentTarget.checked);
    before.current = rowKey(row);
  };
  // Shift and a click would select text.
  const keepText = (event: MouseEvent) => event.shiftKey && event.preventDefault();
  const box = (props: CheckboxProps) => <Checkbox size="xs" onMouseDown={keepText} {...props} />;
  const column = {
    header: words.select,
    head: box({
      'aria-label': words.selectAll,
      checked: isAll,
      indeterminate: !isAll && chosen.length > 0,
      onChange: () => choose(rows, !isAll),
    }),
    cell: (row: Row) =>
      box({
        'aria-label': words.selectRow(rowKey(row)),
        checked: keys.has(rowKey(row)),
        onChange: (event) => press(row, event),
      }),
    width: '2.5rem',
  };
  // Before the rows for the keyboard, below them for the eye.
  const bar = chosen.length > 0 && (
    <Paper withBorder shadow="md" px="md" py="xs" pos="sticky" bottom={8} style={{ zIndex: 1, order: 1 }}>
      <Group gap="sm" role="group" aria-label={words.selection}>
        <output>{words.selected(chosen.length)}</output>
        {actions?.(chosen)}
        <Button size="compact-sm" variant="subtle" ms="auto" onClick={() => setKeys(new Set())}>
          {words.clearSelection}
        </Button>
      </Group>
    </Paper>
  );
  return { column, bar };
}
