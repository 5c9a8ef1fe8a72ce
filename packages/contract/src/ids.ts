import { z } from 'zod';

/**
 * The ids that the service gives, each a type of its own: one is not taken for another. Strings of decimal digits
 * (rules 4). What a client sends becomes one by `id` and `optionalId`, what is stored by the types of the tables.
 */
export const CustomerId = z.string().brand<'CustomerId'>();
export type CustomerId = z.infer<typeof CustomerId>;

/** The global id of an enterprise main account. */
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

/** The id of a batch, which clients know by channelCode and channelOrderId only. */
export type BatchId = string & z.$brand<'BatchId'>;

/** The id of an application, which clients know by its appKey only. */
export type ApplicationId = string & z.$brand<'ApplicationId'>;
