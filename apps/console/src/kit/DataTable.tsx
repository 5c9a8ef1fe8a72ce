import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useMemo, useRef } from 'react';
import styles from './DataTable.module.css';
import { Pager, type Paging } from './Pager.tsx';

/** A column of a table. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, so that their digits are below one another. */
  align?: 'start' | 'end';
  /** Left out in a narrow window. */
  isMinor?: boolean;
  /** The least width, as CSS writes it: `12rem`. */
  width?: string;
}

interface DataTableProps<Row> {
  /** Names the table for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** How high a row is before it has been measured. */
  rowHeightPx?: number;
  /** Shown where there are no rows. */
  empty?: ReactNode;
  /** Below the rows: the way to other pages, or something else. */
  paging?: Paging;
  footer?: ReactNode;
  /** Whether other rows are on their way, so that these look old. */
  isStale?: boolean;
  /** Marks a row, such as the one that another part of the page shows. */
  isChosen?: (row: Row) => boolean;
}

/** What a table of one kind of rows leaves to where it stands. */
export type TableProps<Row> = Omit<DataTableProps<Row>, 'columns' | 'rowKey'>;

const features = tableFeatures({});
const ROW_HEIGHT_PX = 41;
const OVERSCAN = 12;
/** So many rows are shown whole; more scroll by themselves. */
const MAX_WHOLE_ROWS = 25;

/**
 * Rows in columns. Only those that are near the window are in the page, however many there are; arrow keys go from the
 * links of a row to those of the next.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowHeightPx = ROW_HEIGHT_PX, empty, paging, isStale = false, isChosen } = props;
  const footer = paging === undefined ? props.footer : <Pager {...paging} shown={rows.length} />;
  const scroller = useRef<HTMLDivElement>(null);
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return helper.columns(
      columns.map(({ id, header, cell }) => helper.display({ id, header, cell: ({ row }) => cell(row.original) })),
    );
  }, [columns]);
  const table = useTable({ features, columns: definitions, data: rows as Row[], getRowId: rowKey });
  const tableRows = table.getRowModel().rows;
  const isWhole = rows.length <= MAX_WHOLE_ROWS;
  const virtualizer = useVirtualizer({
    count: tableRows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    getItemKey: (index) => tableRows[index]?.id ?? index,
    overscan: isWhole ? MAX_WHOLE_ROWS : OVERSCAN,
    // Before the first measurement, and where nothing is laid out, so many rows are enough.
    initialRect: { width: 0, height: 800 },
  });
  const shown = virtualizer.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const columnOf = (id: string) => columns.find((column) => column.id === id)!;

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
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, beside that of the same name around it. */}
      <div
        ref={scroller}
        className={isWhole ? styles.scroller : `${styles.scroller} ${styles.long}`}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        tabIndex={0}
        aria-label={label}
        aria-busy={isStale}
      >
        <table className={styles.table} aria-label={label} aria-rowcount={rows.length + 1}>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} aria-rowindex={1}>
                {group.headers.map((header) => (
                  <th key={header.id} scope="col" {...cellLook(columnOf(header.column.id))}>
                    <table.FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody onKeyDown={walkLinks}>
            {above > 0 && <Gap heightPx={above} columns={columns.length} />}
            {shown.map(({ index, key }) => {
              const row = tableRows[index]!;
              return (
                <tr
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  aria-current={isChosen?.(row.original) === true ? 'true' : undefined}
                >
                  {row.getAllCells().map((cell) => (
                    <td key={cell.id} {...cellLook(columnOf(cell.column.id))}>
                      <table.FlexRender cell={cell} />
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

/** Stands for the rows that are not in the page. */
function Gap({ heightPx, columns }: { heightPx: number; columns: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot be focused.
    <tr aria-hidden="true">
      <td colSpan={columns} className={styles.gap} style={{ height: heightPx }} />
    </tr>
  );
}

function cellLook({ align = 'start', isMinor = false, width }: Pick<Column<never>, 'align' | 'isMinor' | 'width'>) {
  const names = [align === 'end' && styles.end, isMinor && styles.minor].filter(Boolean).join(' ');
  return { className: names, ...(width === undefined ? {} : { style: { minWidth: width } }) };
}

/** Goes to the same link or button of the row below or above. */
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
