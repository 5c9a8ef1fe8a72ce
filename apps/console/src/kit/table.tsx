import { operations } from 'virtual:operations';
import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { Button, Group, UnstyledButton } from '@mantine/core';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { CallOf } from '../api/calls.ts';
import { useOperation } from '../api/operations.ts';
import type { Search } from '../api/search.ts';
import { kitWords as words } from '../words/kit.ts';
import { ExportButton } from './export.tsx';
import { type FilterField, Filters, namesOf } from './filters.tsx';
import { useAddress } from './inputs.tsx';
import styles from './kit.module.css';
import { Query } from './page.tsx';
import { type Actions, useSelection } from './selection.tsx';
import { Empty } from './signs.tsx';

/** A column of a table. Headers must be unique. */
export interface Column<Row> {
  header: string;
  /** Shown instead of the header, and on cards nothing. */
  head?: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Whether the list is in the order of this time: newest first, or by the address oldest first. */
  isOrder?: boolean;
  /** Use `end` for numbers, so that their digits line up. */
  align?: 'start' | 'end';
  /** Hidden in a narrow window. */
  isMinor?: boolean;
  isHidden?: boolean | undefined;
  /** Width in CSS units: `12rem`. Longer text ends with an ellipsis. Default: as wide as the text, at most `20rem`. */
  width?: string;
  /** Takes the width that other columns leave, at least `width`. */
  isWide?: boolean;
}

/** What the tables of one kind of row have in common. */
export interface Table<Row> {
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** What can be done with rows that the reader chooses. */
  actions?: Actions<Row>;
}

interface DataTableProps<Row> extends Table<Row> {
  /** Names the table for screen readers. */
  label: string;
  rows: readonly Row[];
  /** Shown if there are no rows. */
  empty?: ReactNode;
  footer?: ReactNode;
  /** Whether newer rows are loading; the current ones are dimmed. */
  isStale?: boolean;
  /** Highlights rows, such as the one that another section shows. */
  isChosen?: (row: Row) => boolean;
}

/** A row of a list: an element of the only array in its data. */
type RowOf<Id extends ConsoleOperationId> = object &
  Extract<ConsoleData<Id>[keyof ConsoleData<Id>], readonly unknown[]>[number];

type Cursor = { nextCursor: string | null };

interface ListProps<Id extends ConsoleOperationId> extends Table<RowOf<Id>> {
  label: string;
  operation: Id;
  /** The call, without the filters and the cursor, which the address has. */
  call?: Omit<CallOf<Id>, 'query'> & { query?: Search };
  filters?: readonly FilterField[];
  /** Milliseconds between reloads. */
  refreshMs?: number | false;
  /** The title and the advice if the list has no entries at all. */
  none: readonly [title: string, advice: ReactNode];
  /** Shown if nothing matches the filters. */
  noMatches?: ReactNode;
  /** Shown above the rows. If there are none, it stands for them. */
  above?: (data: ConsoleData<Id>) => ReactNode;
}

/** A list of the service, with filters and pages. The address has both, so that a page can be shared. */
export function List<Id extends ConsoleOperationId>(props: ListProps<Id>) {
  const { operation, call, filters = [], refreshMs = false, none, noMatches, above, ...table } = props;
  const [address, change] = useAddress();
  const names = filters.flatMap(namesOf);
  // The service validates the address.
  const given = [...names, 'cursor', ...(table.columns.some(({ isOrder }) => isOrder) ? ['order'] : [])];
  const query = { ...Object.fromEntries(given.map((name) => [name, address[name]])), ...call?.query };
  const found = useOperation(operation, { ...call, query } as CallOf<Id>, { keepsPrevious: true, refreshMs });
  // A page searches a limited number of entries. If none of them matches, the next page is searched, and so on.
  const filtered = JSON.stringify({ ...query, cursor: undefined });
  const skipped = useRef({ filtered, pages: 0 });
  if (skipped.current.filtered !== filtered) skipped.current = { filtered, pages: 0 };
  const { data, isPlaceholderData: isStale } = found;
  const { nextCursor, ...page } = (data ?? { nextCursor: null }) as Record<string, unknown> & Cursor;
  const shown = (page[operations[operation].rows!] ?? []) as readonly RowOf<Id>[];
  const first = data && above?.(data);
  const isBarren = !isStale && nextCursor !== null && shown.length === 0;
  useEffect(() => {
    if (isBarren && skipped.current.pages++ < MAX_SKIPPED) change({ cursor: nextCursor }, true);
    else if (!isBarren && !isStale) skipped.current.pages = 0;
  });
  const sayEmpty = () => {
    if (nextCursor !== null) return <Empty title={words.nothingSoFar}>{words.nothingSoFarAdvice}</Empty>;
    if (!names.some((name) => address[name] !== undefined)) return <Empty title={none[0]}>{none[1]}</Empty>;
    return noMatches ?? <Empty title={words.noMatches}>{words.nothingFilteredAdvice}</Empty>;
  };
  // The export has the pages before this one, too.
  const exported = { ...call, query: { ...query, cursor: undefined } } as unknown as CallOf<Id>;
  const pager = <Pager nextCursor={nextCursor} shown={shown.length} />;
  return (
    <>
      <Group justify="flex-end" align="start" gap="0.25rem 0.5rem">
        {filters.length > 0 && <Filters fields={filters} />}
        {(shown.length > 0 || first) && <ExportButton operation={operation} call={exported} />}
      </Group>
      <Query of={found}>
        {() => (
          <>
            {first}
            {shown.length === 0 && first ? (
              pager
            ) : (
              <DataTable {...table} rows={shown} isStale={isStale} empty={sayEmpty()} footer={pager} />
            )}
          </>
        )}
      </Query>
    </>
  );
}

/** After so many pages without a match, the reader decides whether to go on. */
const MAX_SKIPPED = 100;

/** The number of rows that a table shows at first, and adds at a time. */
const MAX_ROWS = 200;

/** A table with one line a row. A click on a row opens its first link. Arrow keys move between links of rows. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, rows, rowKey, actions, empty, footer, isStale = false, isChosen } = props;
  const [{ order }] = useAddress();
  const sort: Sort = order === 'oldest' ? 'ascending' : 'descending';
  const [most, setMost] = useState(MAX_ROWS);
  const shown = rows.slice(0, most);
  const selection = useSelection(shown, rowKey, actions);
  const all: readonly Column<Row>[] = actions ? [selection.column, ...props.columns] : props.columns;
  const columns = all.filter(({ isHidden }) => !isHidden);
  if (rows.length === 0) {
    return (
      <>
        {empty}
        {footer}
      </>
    );
  }
  return (
    <>
      {selection.bar}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a second landmark of its name. */}
      <div
        className={`box ${styles.scroller}`}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        tabIndex={0}
        aria-label={label}
        aria-busy={isStale}
        onKeyDown={enterRows}
      >
        <table className={styles.table} aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ header, head = header, isOrder, ...look }) => (
                <th key={header} scope="col" aria-sort={isOrder ? sort : undefined} {...cellLook(look)}>
                  {isOrder ? <OrderButton header={header} sort={sort} /> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={walkLinks} onClick={openRow} onMouseOver={showWhole} onFocus={showWhole}>
            {shown.map((row) => (
              <tr key={rowKey(row)} aria-current={isChosen?.(row) === true ? 'true' : undefined}>
                {columns.map((column) => (
                  <td
                    key={column.header}
                    data-header={column.head === undefined ? column.header : ''}
                    {...cellLook(column)}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && (
        <Button variant="default" onClick={() => setMost(most + MAX_ROWS)}>
          {words.moreRows}
        </Button>
      )}
      {footer}
    </>
  );
}

type Sort = 'ascending' | 'descending';

/** A header that turns the order of a list around. */
function OrderButton({ header, sort }: { header: string; sort: Sort }) {
  const [, change] = useAddress();
  const [title, order, arrow] =
    sort === 'ascending' ? [words.newestFirst, undefined, '↑'] : [words.oldestFirst, 'oldest', '↓'];
  return (
    <UnstyledButton fz="inherit" c="inherit" title={title} onClick={() => change({ order, cursor: undefined })}>
      {header} <span aria-hidden>{arrow}</span>
    </UnstyledButton>
  );
}

/** Moves the focus from the table to its first link. */
function enterRows({ key, target, currentTarget }: KeyboardEvent<HTMLDivElement>): void {
  if (key === 'ArrowDown' && target === currentTarget) currentTarget.querySelector<HTMLElement>('tbody a')?.focus();
}

function cellLook({ align, isMinor, width, isWide }: Omit<Column<never>, 'cell' | 'header'>) {
  const names = [align === 'end' && styles.end, isMinor && styles.minor, isWide && styles.wide]
    .filter(Boolean)
    .join(' ');
  return { className: names, ...(width === undefined ? {} : { style: { '--width': width } as CSSProperties }) };
}

const CONTROLS = 'a, button, [type="checkbox"]';

/** Moves the focus to the same control in the row above or below. */
function walkLinks(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const target = event.target as HTMLElement;
  const row = target.closest('tr');
  if (row === null || !target.matches(CONTROLS)) return;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  const listControls = (of: Element) => [...of.querySelectorAll<HTMLElement>(CONTROLS)];
  const place = listControls(row).indexOf(target);
  const control = next === null ? undefined : (listControls(next)[place] ?? listControls(next)[0]);
  if (control === undefined) return;
  event.preventDefault();
  control.focus();
}

/** Opens the first link of the row that was clicked, unless the reader clicked a control or selects text. */
function openRow({ target, currentTarget }: MouseEvent<HTMLTableSectionElement>): void {
  const element = target as HTMLElement;
  if (
    !currentTarget.contains(element) ||
    element.closest('a, button, input, label, summary, td:has([type="checkbox"])') !== null
  )
    return;
  if (getSelection()?.isCollapsed === false) return;
  element.closest('tr')?.querySelector('a')?.click();
}

/** Gives a cell whose text is cut off a tooltip with all of it. */
function showWhole({ target }: { target: EventTarget }): void {
  const cell = (target as HTMLElement).closest('td');
  if (cell !== null && cell.scrollWidth > cell.clientWidth) cell.title = cell.innerText;
}

/** Links between the pages of a list. `shown`: the number of rows on this page. */
export function Pager({ nextCursor, shown }: { nextCursor: string | null; shown: number }) {
  const [{ cursor }, change] = useAddress();
  // The cursors of the pages visited so far. Cursors only lead forward, so going back needs them.
  const [visited, setVisited] = useState<readonly (string | undefined)[]>([undefined]);
  const place = visited.indexOf(cursor);
  const isWhole = cursor === undefined && nextCursor === null && shown > 0;
  const button = (label: string, to: string | undefined, onGo?: () => void) => (
    <Button
      variant="default"
      size="compact-sm"
      onClick={({ currentTarget }) => {
        onGo?.();
        change({ cursor: to });
        // The next page is read from its top.
        currentTarget.closest('section, main')?.scrollIntoView();
      }}
    >
      {label}
    </Button>
  );
  const noteNext = () =>
    setVisited(place === -1 ? [cursor, nextCursor!] : [...visited.slice(0, place + 1), nextCursor!]);
  return (
    <Group component="nav" gap="sm" justify="flex-end" aria-label={words.pages}>
      <span className="small" style={{ marginInlineEnd: 'auto' }}>
        {isWhole ? words.rowsInAll(shown) : words.rowsShown(shown)}
        {nextCursor === null && !isWhole && shown > 0 && ` · ${words.lastPage}`}
      </span>
      {cursor !== undefined && button(words.firstPage, undefined)}
      {place > 0 && button(words.previousPage, visited[place - 1])}
      {nextCursor !== null && button(words.nextPage, nextCursor, noteNext)}
    </Group>
  );
}
