import { z } from 'zod';
import { ApplicationName, ChannelCode, Scope } from '../access.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { ListRefusalsQuery, RefusalPage, RefusedCall } from '../refused-calls.ts';
import { byCursor } from '../routes.ts';
import { emptyAsAbsent, optional, optionalText, searchText, text } from '../scalars.ts';
import { fault } from '../templates.ts';
import { MAX_BOUND_CHANNELS, MAX_LEAD_DAYS, MAX_LEAD_TIMES, MAX_OVERLAP_HOURS } from '../words.ts';
import { Sender } from './batches.ts';
import { type ConsoleOperation, get, on, pagesOf, post } from './operation.ts';

/** Whether an application may call: only an approved one gets tokens. */
export const ApplicationStatus = z.enum(['pending', 'approved', 'suspended']);
export type ApplicationStatus = z.infer<typeof ApplicationStatus>;

/** An application as operators see it, without its secret. */
export const ConsoleApplication = z.object({
  appKey: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  status: ApplicationStatus,
  channels: z.array(z.string()).nullable().describe('The channels that it is bound to; null: it may use all channels.'),
  hearsLicenses: z.boolean().describe('Whether it hears of licenses of all channels, if it may use all.'),
  leadDays: z.array(z.number()).describe('How many days before the end of licenses it hears of it.'),
  createdTime: z.number(),
  oldSecretEndTime: z.number().nullable().describe('When the previous secret expires; null if it no longer works.'),
});
export type ConsoleApplication = z.infer<typeof ConsoleApplication>;

/** A count up to a limit: with `isMore` there are more. */
export const BoundedCount = z.object({ count: z.number(), isMore: z.boolean() });
export type BoundedCount = z.infer<typeof BoundedCount>;

/** An application, with its own tokens (not those of users) and its batches in channels that the operator sees. */
export const ApplicationDetail = ConsoleApplication.extend({
  liveTokens: BoundedCount.describe('Its valid tokens.'),
  /** When it got the newest stored token; null: not in the last two hours. */
  lastTokenTime: z.number().nullable(),
  lastBatchTime: z.number().nullable().describe('When its newest batch was accepted.'),
  lastDay: z
    .object({
      since: z.number(),
      batches: z.number(),
      orders: z.number(),
      failed: z.number(),
      isMore: z.boolean().describe('Whether there are more batches than are counted: the newest.'),
    })
    .describe('Its batches of the last 24 hours.'),
});
export type ApplicationDetail = z.infer<typeof ApplicationDetail>;

/** New credentials. No other answer shows the secret. */
const ApplicationCredentials = z.object({ appKey: z.string(), appSecret: z.string() });

const application = on('/applications/{appKey}', z.object({ appKey: text() }));

/** The channels that an application or operator is bound to, without duplicates; null: it may use all. */
export const BoundChannels = z
  .array(ChannelCode)
  .min(1, fault('no_channel'))
  .max(MAX_BOUND_CHANNELS, fault('too_many', MAX_BOUND_CHANNELS))
  .transform((channels) => [...new Set(channels)])
  .nullable();

/** Which events of licenses an application gets (rules 6.8). What is absent stays. */
export const Notices = z.object({
  hearsLicenses: z.boolean().optional(),
  leadDays: z
    .array(z.number().int().min(1).max(MAX_LEAD_DAYS))
    .max(MAX_LEAD_TIMES)
    .transform((days) => [...new Set(days)].sort((a, b) => b - a))
    .optional(),
});
export type Notices = z.infer<typeof Notices>;

export const applicationsOperations = {
  listApplications: {
    ...get('/applications'),
    query: z.object({
      search: optional(searchText()).describe('Part of the name or appKey, ignoring case.'),
      status: emptyAsAbsent(ApplicationStatus.optional()),
      ...ListPageQuery.shape,
    }),
    ...pagesOf('applications', ConsoleApplication),
  },
  listRefusals: {
    ...get('/refusals'),
    query: ListRefusalsQuery.safeExtend({ appKey: optionalText().describe('Only calls of this application.') }),
    list: byCursor('refusals'),
    data: RefusalPage.extend({ refusals: z.array(RefusedCall.extend(Sender.shape)) }),
  },
  getApplication: { ...application.get(), data: ApplicationDetail },
  createApplication: {
    ...post('/applications', 'admin'),
    body: z.object({
      name: ApplicationName,
      scopes: z
        .array(Scope)
        .min(1, fault('no_scope'))
        .max(10)
        .transform((scopes) => [...new Set(scopes)]),
      channels: BoundChannels,
      isApproved: z.boolean(),
    }),
    data: ApplicationCredentials,
  },
  approveApplication: { ...application.post('/approve', 'admin'), data: ConsoleApplication },
  /** Suspends an application: it gets no tokens, and its tokens are revoked. */
  suspendApplication: { ...application.post('/suspend', 'admin'), data: ConsoleApplication },
  /** Creates a new secret, which is shown only once. Without an overlap, revokes the tokens too. */
  rotateApplicationSecret: {
    ...application.post('/secret', 'admin'),
    body: z.object({
      /** For how many hours the current secret stays valid; 0: it expires now, and the tokens are revoked. */
      overlapHours: z.number().int().min(0).max(MAX_OVERLAP_HOURS),
    }),
    data: ApplicationCredentials.extend({ oldSecretEndTime: z.number().nullable() }),
  },
  revokeApplicationTokens: { ...application.post('/tokens/revoke', 'admin'), data: z.null() },
  bindApplication: {
    ...application.post('/channels', 'admin'),
    body: z.object({
      channels: BoundChannels,
      /** The channels that the operator saw. The call is refused if they have changed. */
      shownChannels: z.array(ChannelCode).nullable(),
    }),
    data: ConsoleApplication,
  },
  changeNotices: { ...application.post('/notices', 'admin'), body: Notices, data: ConsoleApplication },
} satisfies Record<string, ConsoleOperation>;
