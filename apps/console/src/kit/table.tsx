import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { kitWords } from '../words/kit.ts';
import { useNumberFormat, useWords } from '../words/words.ts';
import dataTableStyles from './DataTable.module.css';
import { useAddress } from './filters.tsx';
import pagerStyles from './Pager.module.css';
import { Empty } from './signs.tsx';

/** A column of a table. Headers must be unique. */
export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Use `end` for numbers, so that their digits line up. */
  align?: 'start' | 'end';
  /** Hidden in a narrow window. */
  isMinor?: boolean;
  /** Minimum width in CSS units: `12rem`. */
  width?: string;
}

interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown if there are no rows. */
  empty?: ReactNode;
  /** The cursor of the next page; null on the last page. Omit it if the list has no pages. */
  nextCursor?: string | null;
  footer?: ReactNode;
  /** Whether newer rows are loading; the current ones are dimmed. */
  isStale?: boolean;
  /** Highlights rows, such as the one that another section shows. */
  isChosen?: (row: Row) => boolean;
}

/** The props that a specialized table passes through. */
export type TableProps<Row> = Omit<DataTableProps<Row>, 'columns' | 'rowKey'>;

/** Estimated row height until rows are measured. */
const ROW_HEIGHT_PX = 41;
const OVERSCAN = 12;
/** Tables with more rows scroll on their own. */
const MAX_WHOLE_ROWS = 25;

/** A table. Renders only the rows near the window. Arrow keys move between the links of neighboring rows. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, empty, nextCursor, isStale = false, isChosen } = props;
  const footer = nextCursor === undefined ? props.footer : <Pager nextCursor={nextCursor} shown={rows.length} />;
  const scroller = useRef<HTMLDivElement>(null);
  const isWhole = rows.length <= MAX_WHOLE_ROWS;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => rowKey(rows[index]!),
    overscan: isWhole ? MAX_WHOLE_ROWS : OVERSCAN,
    // Renders this many rows before the first measurement, and where there is no layout.
    initialRect: { width: 0, height: 800 },
  });
  const shown = virtualizer.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0);

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
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a second landmark of its name. */}
      <div
        ref={scroller}
        className={isWhole ? dataTableStyles.scroller : `${dataTableStyles.scroller} ${dataTableStyles.long}`}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        tabIndex={0}
        aria-label={label}
        aria-busy={isStale}
      >
        <table className={dataTableStyles.table} aria-label={label} aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th key={column.header} scope="col" {...cellLook(column)}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={walkLinks}>
            {above > 0 && <Gap heightPx={above} columns={columns.length} />}
            {shown.map(({ index, key }) => {
              const row = rows[index]!;
              return (
                <tr
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  aria-current={isChosen?.(row) === true ? 'true' : undefined}
                >
                  {columns.map((column) => (
                    <td key={column.header} {...cellLook(column)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {below > 0 && <Gap heightPx={below} columns={columns.length} />}
          </tbody>
        </table>
      </div>
      {footer}
    </>
  );
}

/** A spacer for the rows that are not rendered. */
function Gap({ heightPx, columns }: { heightPx: number; columns: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot be focused.
    <tr aria-hidden="true">
      <td colSpan={columns} className={dataTableStyles.gap} style={{ height: heightPx }} />
    </tr>
  );
}

function cellLook({ align = 'start', isMinor = false, width }: Pick<Column<never>, 'align' | 'isMinor' | 'width'>) {
  const names = [align === 'end' && dataTableStyles.end, isMinor && dataTableStyles.minor].filter(Boolean).join(' ');
  return { className: names, ...(width === undefined ? {} : { style: { minWidth: width } }) };
}

/** Moves the focus to the same link or button in the row above or below. */
function walkLinks(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const target = event.target as HTMLElement;
  const row = target.closest('tr');
  if (row === null || !target.matches('a, button')) return;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  const place = listControls(row).indexOf(target);
  const control = next === null ? undefined : (listControls(next)[place] ?? listControls(next)[0]);
  if (control === undefined) return;
  event.preventDefault();
  control.focus();
}

function listControls(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('a, button')];
}

/** Address parameters that are not filters. */
const NO_FILTERS = ['cursor', 'tab', 'list'];

/**
 * The empty state of a list. If the address has filters, says that nothing matches; otherwise shows `title` and
 * `children`. `isMore`: only part of the entries were searched.
 */
export function NoRows({ isMore, title, children }: { isMore?: boolean; title: string; children: ReactNode }) {
  const words = useWords(kitWords);
  const [search] = useAddress();
  if (isMore === true) return <Empty title={words.nothingSoFar}>{words.nothingSoFarAdvice}</Empty>;
  const isFiltered = Object.keys(search).some((name) => !NO_FILTERS.includes(name));
  if (isFiltered) return <Empty title={words.nothingFiltered}>{words.nothingFilteredAdvice}</Empty>;
  return <Empty title={title}>{children}</Empty>;
}

/**
 * Links between the pages of a list. The cursor is part of the address, so that a page can be shared. `shown`: the
 * number of rows on this page.
 */
export function Pager({ nextCursor, shown }: { nextCursor: string | null; shown: number }) {
  const [{ cursor }, change] = useAddress();
  const onCursor = (next: string | undefined) => change({ cursor: next });
  const words = useWords(kitWords);
  const write = useNumberFormat();
  // The cursors of the pages visited so far. Cursors only lead forward, so going back needs them.
  const [visited, setVisited] = useState<readonly (string | undefined)[]>([undefined]);
  const place = visited.indexOf(cursor);
  const showNext = (next: string) => {
    setVisited(place === -1 ? [cursor, next] : [...visited.slice(0, place + 1), next]);
    onCursor(next);
  };
  return (
    <nav className={pagerStyles.pager} aria-label={words.pages}>
      <span className={pagerStyles.shown}>
        {words.rowsShown(write(shown))}
        {nextCursor === null && shown > 0 && ` · ${words.lastPage}`}
      </span>
      {cursor !== undefined && (
        <>
          <Button variant="default" size="compact-md" onClick={() => onCursor(undefined)}>
            {words.firstPage}
          </Button>
          {place > 0 && (
            <Button variant="default" size="compact-md" onClick={() => onCursor(visited[place - 1])}>
              {words.previousPage}
            </Button>
          )}
        </>
      )}
      {nextCursor !== null && (
        <Button variant="default" size="compact-md" onClick={() => showNext(nextCursor)}>
          {words.nextPage}
        </Button>
      )}
    </nav>
  );
}
