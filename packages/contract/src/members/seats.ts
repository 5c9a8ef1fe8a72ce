import { z } from 'zod';
import { named } from '../containers.ts';
import { LicenseType } from '../orders/enums.ts';
import { integer } from '../scalars.ts';

/** For how many days ahead an end counts as soon. */
export const ENDING_SOON_DAYS = 30;

const counts = {
  owned: integer().describe('All of them.'),
  assigned: integer().describe('Assigned to an employee.'),
  lent: integer().describe('Assigned, and lent into a borrowed lock.'),
  free: integer().describe('Not assigned, and neither expired, disabled nor frozen.'),
  expired: integer().describe('The latest end has passed.'),
  endingSoon: integer().describe(`In force, and the latest end is within ${ENDING_SOON_DAYS} days.`),
};
export type SeatCounts = { [Name in keyof typeof counts]: number };

/** The data of getSeats (rules 8). */
export const Seats = named(
  'Seats',
  'How many seats an enterprise has. A seat is an active asset, not a borrowed lock.',
  {
    products: z
      .array(
        named('ProductSeats', 'The assets that have a product, each once.', {
          productUri: z.string().describe('Globally unique product id.'),
          productName: z.string().describe('Name of the product, as it was bought last.'),
          ...counts,
        }),
      )
      .describe('By product, in the order of productUri.'),
    licenseTypes: z
      .array(
        named('LicenseTypeSeats', 'The assets of a license type, by their own dates.', {
          licenseType: LicenseType.describe('License type.'),
          ...counts,
        }),
      )
      .describe('By license type, in the order of their names.'),
    total: named('SeatCounts', 'All assets, by their own dates.', counts).describe('All assets, each once.'),
  },
);
export type Seats = z.infer<typeof Seats>;
