import type { LicenseOrderId } from '@lockstep/contract';

/** Orders of a preview have no ids. No order can name one of these as its source: they are not digits. */
const PREFIX = 'preview ';

/** Stands for the id of the order at `index` of a preview's orderList. */
export function previewIdOf(index: number): LicenseOrderId {
  return `${PREFIX}${index}` as LicenseOrderId;
}

/** Whether an id stands for an order of a preview. */
export function isPreviewId(licenseOrderId: LicenseOrderId): boolean {
  return licenseOrderId.startsWith(PREFIX);
}
