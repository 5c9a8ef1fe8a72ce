import type { OrdersToResend } from '@lockstep/contract/console';
import { Button, Stack, VisuallyHidden } from '@mantine/core';
import { TextField } from '../../kit/inputs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { explainCause } from '../../words/causes.ts';
import { isTime, writeTime } from '../../words/times.ts';
import styles from '../pages.module.css';
import { resendWords as words } from './words.ts';

/** The fields of an order that a cause is about, at any depth. The others are changed as JSON. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  customer_not_found: ['customerId'],
  enterprise_mismatch: ['customerId', 'enterpriseGlobalId'],
  source_order_not_found: ['srcLicenseOrderId'],
  asset_not_in_source_order: ['srcLicenseOrderId', 'assetNos'],
  asset_owned_by_other_customer: ['assetNos'],
  asset_not_found: ['assetNos', 'customerId'],
  asset_full: ['assetNos'],
  license_type_mismatch: ['licenseType'],
  product_not_found: ['productUri', 'limitStartDate', 'limitEndDate', 'limitConcurrent', 'srcLicenseOrderId'],
  dates_reversed: ['limitStartDate', 'limitEndDate'],
};
/** An order may have thousands of fields. */
const MAX_FIELDS = 20;

type Path = readonly string[];
type Sent = { licenseType?: string };

interface FixFormProps {
  orders: readonly unknown[];
  failures: OrdersToResend['failures'];
  onChange: (orders: readonly unknown[]) => void;
}

/** Edits the failing fields of each order, and leaves orders out. */
export function FixForm({ orders, failures, onChange }: FixFormProps) {
  const known = new Map(failures.map((failure) => [failure.sequence, failure]));
  const rows = orders.map((order, place) => ({ order, place, sequence: (order as { sequence: number }).sequence }));
  const columns: Column<(typeof rows)[number]>[] = [
    { header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
    {
      header: words.failure,
      width: '14rem',
      isWide: true,
      cell: ({ sequence }) => {
        const failure = known.get(sequence);
        return failure && <span className={styles.wraps}>{explainCause(failure)}</span>;
      },
    },
    {
      header: words.fields,
      width: '20rem',
      cell: ({ order, place, sequence }) => {
        const failing = listFields(order, FIELDS[known.get(sequence)?.cause ?? ''] ?? []);
        if (failing.length === 0) return words.noFields;
        return (
          <Stack gap="xs" py="xs">
            {failing.slice(0, MAX_FIELDS).map(({ path, value }) => (
              <TextField
                key={path.join()}
                label={writePath(path)}
                value={String(value)}
                description={isDate(path, value) ? writeTime(Number(value), 'local') : undefined}
                spellCheck={false}
                onChange={(text) => onChange(orders.with(place, replace(order, path, text, typeof value)))}
              />
            ))}
          </Stack>
        );
      },
    },
    {
      header: words.leaveOut,
      head: <VisuallyHidden>{words.leaveOut}</VisuallyHidden>,
      cell: ({ place }) => (
        <Button variant="default" size="compact-md" onClick={() => onChange(orders.toSpliced(place, 1))}>
          {words.leaveOut}
        </Button>
      ),
    },
  ];
  // The message names the asset, its license type and the order's.
  const suggest = ({ sequence }: (typeof rows)[number]) => {
    const failure = known.get(sequence);
    return failure?.cause === 'license_type_mismatch' ? failure.args[1] : undefined;
  };
  const wrong = rows.filter((row) => ![undefined, (row.order as Sent).licenseType].includes(suggest(row)));
  const correct = () =>
    onChange(
      rows.map((row) => (wrong.includes(row) ? { ...(row.order as Sent), licenseType: suggest(row) } : row.order)),
    );
  return (
    <>
      {wrong.length > 0 && (
        <div>
          <Button variant="default" onClick={correct}>
            {words.takeTypes(wrong.length)}
          </Button>
        </div>
      )}
      <DataTable label={words.failing} columns={columns} rows={rows} rowKey={({ sequence }) => String(sequence)} />
    </>
  );
}

/** Lists the texts and numbers of an order that are in one of the named fields. */
function listFields(value: unknown, names: readonly string[], path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => listFields(inner, names, [...path, key]));
  }
  return path.some((key) => names.includes(key)) ? [{ path, value }] : [];
}

/** Returns a value with another text in a field. What was a number stays one, if the text is. */
function replace(value: unknown, [key, ...rest]: Path, text: string, kind: string): unknown {
  if (key === undefined) return kind === 'number' && /^\d+$/.test(text) ? Number(text) : text;
  if (Array.isArray(value)) return value.with(Number(key), replace(value[Number(key)], rest, text, kind));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replace(fields[key], rest, text, kind) };
}

const isDate = (path: Path, value: unknown) => path.at(-1)!.endsWith('Date') && isTime(Number(value));

/** Writes a path as refusals do: `assets[0].assetNos[1]`. */
const writePath = (path: Path) =>
  path.map((key, place) => (/^\d/.test(key) ? `[${key}]` : place ? `.${key}` : key)).join('');
