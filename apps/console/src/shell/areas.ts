import type { OperatorRole, Problems } from '@lockstep/contract/console';
import {
  IconApps,
  IconBan,
  IconBroadcast,
  IconBuilding,
  IconCalendarDue,
  IconFlask,
  IconHandStop,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconPackages,
  IconStack2,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { useMay } from '../api/operations.ts';

/** The groups of the navigation. */
export const groups = ['operate', 'find', 'integrate', 'administer'] as const;

/** The areas in the navigation: address, key after `g`, least role (default: viewer), the problems its page lists. */
const areas = [
  { group: 'operate', to: '/', name: 'overview', key: 'o', Icon: IconLayoutDashboard, problem: 'checks' },
  { group: 'operate', to: '/channels', name: 'channels', key: 'n', Icon: IconBroadcast, problem: 'channels' },
  { group: 'operate', to: '/batches', name: 'batches', key: 'b', Icon: IconPackages },
  { group: 'operate', to: '/orders', name: 'orders', key: 'r', Icon: IconListDetails },
  { group: 'operate', to: '/holds', name: 'heldOrders', key: 'd', Icon: IconHandStop, problem: 'heldOrders' },
  { group: 'operate', to: '/queue', name: 'queue', key: 'q', Icon: IconStack2 },
  { group: 'find', to: '/assets', name: 'assets', key: 'a', Icon: IconKey },
  { group: 'find', to: '/expiring', name: 'expiring', key: 'x', Icon: IconCalendarDue },
  { group: 'find', to: '/enterprises', name: 'enterprises', key: 'e', Icon: IconBuilding },
  { group: 'find', to: '/customers', name: 'customers', key: 'm', Icon: IconUsersGroup },
  { group: 'integrate', to: '/applications', name: 'applications', key: 'p', Icon: IconApps },
  { group: 'integrate', to: '/webhooks', name: 'webhooks', key: 'h', Icon: IconWebhook, problem: 'webhooks' },
  { group: 'integrate', to: '/refusals', name: 'refusals', key: 'f', Icon: IconBan },
  { group: 'integrate', to: '/preview', name: 'preview', key: 'w', Icon: IconFlask },
  { group: 'administer', to: '/operators', name: 'operators', key: 'u', Icon: IconUsers, least: 'admin' },
  { group: 'administer', to: '/audit-log', name: 'auditLog', key: 'c', Icon: IconHistory, least: 'support' },
] as const;

type Area = (typeof areas)[number] & { least?: OperatorRole; problem?: keyof Problems };

/** The areas that the operator's role may see. */
export function useAreas(): readonly Area[] {
  const may = useMay();
  return areas.filter(({ least = 'viewer' }: Area) => may(least));
}
