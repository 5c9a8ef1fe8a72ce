import type {
  AssetDetail,
  HistoryAction,
  HistoryEntry,
  ListedAsset,
  MerchandiseNode,
  ProductNode,
  VerdictReason,
} from '@lockstep/contract';
import { ASSET_STATES, REASONS, VALIDITIES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { parseFrom, parseId, parseText, parseTo } from '../options.ts';
import { type Column, describeEnd, type Fields, formatTime, nameAdministrator, yesOrNo } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

/** Adds `lockstep asset …`. */
export function addAssetCommands(program: Command, commands: Commands): void {
  const asset = program.command('asset').helpGroup(API_COMMANDS).description('List and show assets and their history');
  const call = commands.operations(asset);
  call('list', 'List assets', { id: 'listAssets', columns: LIST_COLUMNS })
    .option('--number <prefix>', 'Filter by the beginning of the asset number', parseText)
    .option('--channel <code>', 'Filter by channel', parseText)
    .option('--customer <id>', 'Filter by customer', parseId)
    .option('--enterprise <id>', 'Filter by enterprise', parseId)
    .option('--license-type <type>', 'Filter by license type', parseText)
    .option('--product-uri <uri>', 'Filter by a product on the asset', parseText)
    .addOption(new Option('--validity <validity>', 'Filter by whether the asset is in force').choices(VALIDITIES))
    .addOption(new Option('--reason <reason>', 'Filter by why it cannot be used now').choices(REASONS))
    .option('--expires-from <time>', 'The asset or a product on it ends at or after this time', parseFrom)
    .option('--expires-to <time>', 'It ends at or before this time; a date includes the whole day', parseTo)
    .option(
      '--updated-from <time>',
      'An order or disabling changed it at or after this time; oldest change first',
      parseFrom,
    )
    .addOption(new Option('--assigned <whether>', 'Filter by whether an employee has it').choices(['true', 'false']))
    .addOption(new Option('--locked <whether>', 'Filter by whether it is disabled').choices(['true', 'false']))
    .addOption(new Option('--state <state>', 'Active assets (the default), revoked ones, or all').choices(ASSET_STATES))
    .addOption(
      new Option('--include <parts>', 'Also read what is on each, for --json, --csv and --ndjson').choices([
        'counts',
        'products',
      ]),
    );
  call('show', 'Show an active asset and its contents', {
    id: 'getAsset',
    fields: listFields,
    table: { columns: ITEM_COLUMNS, rows: listItems },
  }).argument('<number>', 'Asset number', parseText);
  call('history', "List what the application can see of an asset's history, newest first", {
    id: 'getAssetHistory',
    columns: HISTORY_COLUMNS,
  }).argument('<number>', 'Asset number', parseText);
}

const LIST_COLUMNS: readonly Column<ListedAsset>[] = [
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'license type', cell: ({ licenseType }) => licenseType },
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'customer name', cell: ({ customerName }) => customerName, wraps: true },
  {
    head: 'usable',
    cell: ({ verdict }) => verdict.reasons.map(({ reason }) => reason).join(', ') || 'yes',
    wraps: true,
  },
  { head: 'ends', cell: (asset) => formatTime(asset.nextEndDate ?? findExpiry(asset)) },
  { head: 'employee', cell: ({ memberGlobalId }) => memberGlobalId, isRight: true },
  { head: 'changed', cell: ({ updatedTime }) => formatTime(updatedTime) },
  { head: 'revoked by', cell: ({ revokedByOrderId }) => revokedByOrderId, isRight: true },
];

/** Returns since when an asset is expired; null if it isn't. */
const findExpiry = ({ verdict }: ListedAsset) =>
  verdict.reasons.find(({ reason }) => reason === 'expired')?.since ?? null;

const listFields = (asset: AssetDetail): Fields => [
  ['asset number', asset.assetNum],
  ['usable now', yesOrNo(asset.verdict.usable)],
  ...asset.verdict.reasons.map((reason) => [`because ${reason.reason}`, explain(reason)] as const),
  ['assetId', asset.assetId],
  ['license type', asset.licenseType],
  ['customer', asset.customerId],
  ['enterprise', asset.enterpriseGlobalId],
  ['starts', formatTime(asset.limitStartDate)],
  ['ends', formatTime(asset.limitEndDate)],
  ['disabled', yesOrNo(asset.locked)],
  ['frozen', yesOrNo(asset.freezing)],
  ['borrowed lock', yesOrNo(asset.borrowedUsbKey)],
  ['assigned to', asset.memberGlobalId],
  ['lent into', asset.lentInto],
  ...asset.assetExtendList.map(({ extendCode, extendValue }) => [`attribute ${extendCode}`, extendValue] as const),
  ['orders with active grants', asset.licenseOrderIds.join(' ')],
];

/** Returns since or until when a reason applies, and who is involved; null if nothing is known. */
function explain({ since, until, operatorIdentity, lockAssetNum, memberGlobalId }: VerdictReason): string | null {
  const parts = [
    ['since', formatTime(since)],
    ['until', formatTime(until)],
    ['requested by', operatorIdentity],
    ['into', lockAssetNum],
    ['by employee', memberGlobalId],
  ];
  return parts.flatMap(([word, value]) => (value ? `${word} ${value}` : [])).join(', ') || null;
}

/** A product or merchandise on an asset. `depth` counts the merchandise around it. */
interface Item {
  depth: number;
  what: string;
  node: ProductNode | MerchandiseNode;
  product?: ProductNode;
}
const ITEM_COLUMNS: readonly Column<Item>[] = [
  { head: 'product or merchandise', cell: ({ depth, what }) => `${'  '.repeat(depth)}${what}`, wraps: true },
  { head: 'ID', cell: ({ node }) => node.id, isRight: true },
  { head: 'nodes', cell: ({ product }) => product?.limitConcurrent ?? null, isRight: true },
  { head: 'starts', cell: ({ product }) => formatTime(product?.limitStartTime ?? null) },
  { head: 'ends', cell: ({ product }) => formatTime(product?.limitEndTime ?? null) },
  { head: 'validity', cell: ({ product }) => product?.validity ?? null },
  { head: 'licenseOrderId', cell: ({ node }) => node.licenseOrderId, isRight: true },
];

const listItems = ({ products, merchandises }: AssetDetail): Item[] => [
  ...products.map((product) => toItem(product, 0)),
  ...merchandises.flatMap((one) => listMerchandise(one, 0)),
];

/** Lists merchandise, followed by its contents. */
function listMerchandise(node: MerchandiseNode, depth: number): Item[] {
  return [
    { depth, what: node.merchandiseNum, node },
    ...(node.productInstanceList ?? []).map((product) => toItem(product, depth + 1)),
    ...(node.children ?? []).flatMap((child) => listMerchandise(child, depth + 1)),
  ];
}

const toItem = (product: ProductNode, depth: number): Item => ({
  depth,
  what: product.productUri,
  node: product,
  product,
});

const ACTION_WORDS: Record<HistoryAction, string> = {
  created: 'asset bought',
  extended: 'products added',
  transferred: 'transferred',
  revoked: 'asset revoked',
  product_bought: 'product bought',
  product_revoked: 'product revoked',
  merchandise_bought: 'merchandise bought',
  merchandise_revoked: 'merchandise revoked',
  locked: 'disabled',
  unlocked: 'enabled',
  frozen: 'frozen',
  unfrozen: 'unfrozen',
  assigned: 'assigned',
  unassigned: 'unassigned',
  lent: 'lent',
  returned: 'returned',
};
const HISTORY_COLUMNS: readonly Column<HistoryEntry>[] = [
  { head: 'time', cell: ({ time }) => formatTime(time) },
  { head: 'assetId', cell: ({ assetId }) => assetId, isRight: true },
  {
    head: 'action',
    cell: ({ action, endCause }) => [ACTION_WORDS[action] ?? action, describeEnd(endCause)].filter(Boolean).join(', '),
  },
  {
    head: 'product or merchandise',
    cell: ({ productUri, instanceId }) => (instanceId === null ? null : `${productUri ?? ''} ${instanceId}`.trim()),
    wraps: true,
  },
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'employee', cell: ({ memberGlobalId }) => memberGlobalId, isRight: true },
  { head: 'lock', cell: ({ lockAssetNum }) => lockAssetNum },
  {
    head: 'by',
    cell: ({ licenseOrderId, operatorIdentity, administratorGlobalId }) =>
      operatorIdentity ??
      (licenseOrderId && `order ${licenseOrderId}`) ??
      (administratorGlobalId && nameAdministrator(administratorGlobalId)),
    wraps: true,
  },
  {
    head: 'batch',
    cell: ({ channelCode, channelOrderId }) => channelOrderId && `${channelCode} ${channelOrderId}`,
    wraps: true,
  },
];
