import type { OperatorRole, Problems } from '@lockstep/contract/console';
import {
  IconApps,
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

/** The areas in the navigation: address, least role, the key after `g`, and the problems that its page lists. */
export const areas = [
  {
    group: 'operate',
    to: '/',
    name: 'overview',
    least: 'viewer',
    key: 'o',
    Icon: IconLayoutDashboard,
    problem: 'checks',
  },
  {
    group: 'operate',
    to: '/channels',
    name: 'channels',
    least: 'viewer',
    key: 'n',
    Icon: IconBroadcast,
    problem: 'channels',
  },
  { group: 'operate', to: '/batches', name: 'batches', least: 'viewer', key: 'b', Icon: IconPackages },
  { group: 'operate', to: '/orders', name: 'orders', least: 'viewer', key: 'r', Icon: IconListDetails },
  {
    group: 'operate',
    to: '/holds',
    name: 'heldOrders',
    least: 'viewer',
    key: 'd',
    Icon: IconHandStop,
    problem: 'heldOrders',
  },
  { group: 'operate', to: '/queue', name: 'queue', least: 'viewer', key: 'q', Icon: IconStack2 },
  { group: 'find', to: '/assets', name: 'assets', least: 'viewer', key: 'a', Icon: IconKey },
  { group: 'find', to: '/expiring', name: 'expiring', least: 'viewer', key: 'x', Icon: IconCalendarDue },
  { group: 'find', to: '/enterprises', name: 'enterprises', least: 'viewer', key: 'e', Icon: IconBuilding },
  { group: 'find', to: '/customers', name: 'customers', least: 'viewer', key: 'm', Icon: IconUsersGroup },
  { group: 'integrate', to: '/applications', name: 'applications', least: 'viewer', key: 'p', Icon: IconApps },
  {
    group: 'integrate',
    to: '/webhooks',
    name: 'webhooks',
    least: 'viewer',
    key: 'h',
    Icon: IconWebhook,
    problem: 'webhooks',
  },
  { group: 'integrate', to: '/preview', name: 'preview', least: 'viewer', key: 'w', Icon: IconFlask },
  { group: 'administer', to: '/operators', name: 'operators', least: 'admin', key: 'u', Icon: IconUsers },
  { group: 'administer', to: '/audit-log', name: 'auditLog', least: 'support', key: 'c', Icon: IconHistory },
] as const;

type Area = (typeof areas)[number] & { least: OperatorRole; problem?: keyof Problems };

/** The areas that the operator's role may see. */
export function useAreas(): readonly Area[] {
  const may = useMay();
  return areas.filter(({ least }) => may(least));
}
