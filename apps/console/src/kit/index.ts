/*
 * The kit of the console's pages. How a page is made:
 *
 * 1. `routes.tsx` names its address, what loads it, and the texts behind the `?` that it reads. What stands in the
 * address is
 *    always text: ids have more digits than a number keeps.
 *
 * 2. It reads its address by `getRouteApi('/batches')` (not by importing its route: that is a cycle), calls the server
 * by
 *    `useOperation(id, call, { refreshMs })` of `../../api/index.ts`, and shows:
 *
 *      const route = getRouteApi('/batches');
 *      export default function BatchesPage() {
 *        const words = useWords(batchesWords);
 *        const query = route.useSearch();
 *        const batches = useOperation('listAllBatches', { query }, { refreshMs: 5_000, keepsPrevious: true });
 *        return (
 *          <Page title={words.batches} lead={words.lead}>
 *            <Filters fields={…} />
 *            <Query of={batches}>
 *              {({ batches: rows, nextCursor }) => (
 *                <DataTable label={words.batches} columns={columns} rows={rows} rowKey={(row) => row.batchId}
 *                  empty={<NoRows …/>} nextCursor={nextCursor} />
 *              )}
 *            </Query>
 *          </Page>
 *        );
 *      }
 *
 *    Filters, tabs and the way to other pages of a list read the address and change it by themselves (`useAddress`).
 *
 * 3. All text stands in `pages/<area>/words.ts`: `defineAreaWords({ en: { … }, zh: { … } })`, read by
 *    `useWords(batchesWords)`, which also has the words that several areas show (`words/common.ts`). A word is a text
 *    or a function that fills in what it is about.
 *
 * 4. A change asks first: `ConfirmButton` calls its operation, tells how it went, and shows in its dialog what failed.
 *    It is not there for a reader whose role may not call that. A password or secret is shown by `OneTimeSecret`. Other
 *    things that a role may not do are hidden by `useMayCall()('bindApplication') && <…/>`.
 *
 * Fields and buttons are Mantine's (`TextInput`, `NativeSelect`, `Checkbox`, `Textarea`, `Tabs`, `Button`,
 * `PasswordInput`); one that is not among them needs its style in `theme/styles.css`. Show no HTML but by React: names
 * may hold markup.
 */
export { AddressTabs } from './AddressTabs.tsx';
export { useAddress } from './address.ts';
export { announce } from './announce.ts';
export { Badge, type Tone } from './Badge.tsx';
export { Chart } from './Chart.tsx';
export { ConfirmButton } from './ConfirmButton.tsx';
export { CopyButton, CopyId } from './CopyId.tsx';
export { Count, Figure, Figures } from './Count.tsx';
export { type Column, DataTable, type TableProps } from './DataTable.tsx';
export { Dialog } from './Dialog.tsx';
export { Empty } from './Empty.tsx';
export { Failure } from './Failure.tsx';
export { type Field, Fields } from './Fields.tsx';
export { Filters, optionsOf } from './Filters.tsx';
export { JsonView } from './JsonView.tsx';
export { NoRows } from './NoRows.tsx';
export { Notice } from './Notice.tsx';
export { OneTimeSecret } from './OneTimeSecret.tsx';
export { type Crumb, Page, Section } from './Page.tsx';
export { Pager } from './Pager.tsx';
export { ProgressBar } from './ProgressBar.tsx';
export { Query } from './Query.tsx';
export { RoleGate } from './RoleGate.tsx';
export { StateBadge, useStateWords } from './StateBadge.tsx';
export { Time } from './Time.tsx';
export { TimeLine } from './TimeLine.tsx';
export { Tree, type TreeNode } from './Tree.tsx';
