import { z } from 'zod';

/**
 * The ids of the service, each with a type of its own so that they cannot be confused. Strings of decimal digits (rules
 * 4). `id` and `optionalId` parse those of clients; the types of the tables give those of the database.
 */
export const CustomerId = z.string().brand<'CustomerId'>();
export type CustomerId = z.infer<typeof CustomerId>;

/** The global id of an enterprise. */
export const EnterpriseId = z.string().brand<'EnterpriseId'>();
export type EnterpriseId = z.infer<typeof EnterpriseId>;

/** The global id of an employee. */
export const MemberId = z.string().brand<'MemberId'>();
export type MemberId = z.infer<typeof MemberId>;

export const AssetId = z.string().brand<'AssetId'>();
export type AssetId = z.infer<typeof AssetId>;

export const LicenseOrderId = z.string().brand<'LicenseOrderId'>();
export type LicenseOrderId = z.infer<typeof LicenseOrderId>;

/** The id of an event of the feed. */
export type EventId = string & z.$brand<'EventId'>;

/** The id of a webhook. */
export type WebhookId = string & z.$brand<'WebhookId'>;

/** The id of a batch. Clients know only its channelCode and channelOrderId. */
export type BatchId = string & z.$brand<'BatchId'>;

/** The id of an application. Clients know only its appKey. */
export type ApplicationId = string & z.$brand<'ApplicationId'>;
