import { z } from 'zod';
import { ApplicationName, ChannelCode, Scope } from '../access.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, optionalSearchText, text } from '../scalars.ts';
import { MAX_OVERLAP_HOURS } from '../words.ts';
import { consoleTable } from './operation.ts';

/** Channels that the console binds an application to, at most. */
const MAX_BOUND_CHANNELS = 200;

/** Whether an application may call: only an approved one gets tokens. */
export const ApplicationStatus = z.enum(['pending', 'approved', 'suspended']);
export type ApplicationStatus = z.infer<typeof ApplicationStatus>;

/** An application as operators see it; never a secret. */
export const ConsoleApplication = z.object({
  appKey: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  status: ApplicationStatus,
  /** The channels that it is bound to; null: it is bound to none and may use all. */
  channels: z.array(z.string()).nullable(),
  createdTime: z.number(),
  /** When the secret before the last rotation ends; null if there is none that is still good. */
  oldSecretEndTime: z.number().nullable(),
});
export type ConsoleApplication = z.infer<typeof ConsoleApplication>;

/** A count that stops at a bound: `isMore` says that there are more. */
export const BoundedCount = z.object({ count: z.number(), isMore: z.boolean() });
export type BoundedCount = z.infer<typeof BoundedCount>;

/** An application, and how many tokens of its own (not of users) work. */
export const ApplicationDetail = ConsoleApplication.extend({ liveTokens: BoundedCount });
export type ApplicationDetail = z.infer<typeof ApplicationDetail>;

/** A new key or secret, which no other answer shows. */
export const ApplicationCredentials = z.object({ appKey: z.string(), appSecret: z.string() });
export type ApplicationCredentials = z.infer<typeof ApplicationCredentials>;

const params = z.object({ appKey: text() });

/** What an application is bound to, each channel once; null: to none. */
const BoundChannels = z
  .array(ChannelCode)
  .min(1, 'must name a channel, or be null')
  .max(MAX_BOUND_CHANNELS, `must be at most ${MAX_BOUND_CHANNELS} channels`)
  .transform((channels) => [...new Set(channels)])
  .nullable();

/** Applications that may call the interface: who they are, and what they may do. */
export const applicationsOperations = consoleTable({
  listApplications: {
    method: 'GET',
    path: '/applications',
    role: 'viewer',
    query: z.object({
      /** A part of its name or of its key, in any case. */
      search: optionalSearchText(),
      status: emptyAsAbsent(ApplicationStatus.optional()),
      ...ListPageQuery.shape,
    }),
    data: z.object({ applications: z.array(ConsoleApplication), nextCursor: z.string().nullable() }),
    summary: 'Lists applications, newest first.',
  },
  getApplication: {
    method: 'GET',
    path: '/applications/{appKey}',
    role: 'viewer',
    params,
    data: ApplicationDetail,
    summary: 'Shows an application, and how many tokens it has.',
  },
  createApplication: {
    method: 'POST',
    path: '/applications',
    role: 'admin',
    body: z.object({
      name: ApplicationName,
      scopes: z
        .array(Scope)
        .min(1, 'must name a scope')
        .max(10)
        .transform((scopes) => [...new Set(scopes)]),
      channels: BoundChannels,
      isApproved: z.boolean(),
    }),
    data: ApplicationCredentials,
    summary: 'Registers an application, and shows its key and, this once, its secret.',
  },
  approveApplication: {
    method: 'POST',
    path: '/applications/{appKey}/approve',
    role: 'admin',
    params,
    data: ConsoleApplication,
    summary: 'Lets an application call.',
  },
  suspendApplication: {
    method: 'POST',
    path: '/applications/{appKey}/suspend',
    role: 'admin',
    params,
    data: ConsoleApplication,
    summary: 'Stops an application with the next call: it gets no tokens, and those that it has are revoked.',
  },
  rotateApplicationSecret: {
    method: 'POST',
    path: '/applications/{appKey}/secret',
    role: 'admin',
    params,
    body: z.object({
      /** How long the secret that it has stays good; 0: not at all, and its tokens are revoked. */
      overlapHours: z.number().int().min(0).max(MAX_OVERLAP_HOURS),
    }),
    data: ApplicationCredentials.extend({ oldSecretEndTime: z.number().nullable() }),
    summary: 'Gives an application a new secret, shown this once; without an overlap it revokes the tokens too.',
  },
  revokeApplicationTokens: {
    method: 'POST',
    path: '/applications/{appKey}/tokens/revoke',
    role: 'admin',
    params,
    data: z.null(),
    summary: 'Revokes all tokens of an application and of its users, from the next call on.',
  },
  bindApplication: {
    method: 'POST',
    path: '/applications/{appKey}/channels',
    role: 'admin',
    params,
    body: z.object({
      channels: BoundChannels,
      /** What the operator saw before: it must still be so. */
      shownChannels: z.array(ChannelCode).nullable(),
    }),
    data: ConsoleApplication,
    summary: 'Binds an application to channels, or to none.',
  },
});
