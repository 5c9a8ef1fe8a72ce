import type { OperatorRole } from '@lockstep/contract/console';
import type { shellWords } from './words.ts';

/** The areas in the navigation: address, least role, and the key after `g`. */
export const areas = [
  { to: '/', name: 'overview', least: 'viewer', key: 'o' },
  { to: '/batches', name: 'batches', least: 'viewer', key: 'b' },
  { to: '/orders', name: 'orders', least: 'viewer', key: 'r' },
  { to: '/assets', name: 'assets', least: 'viewer', key: 'a' },
  { to: '/enterprises', name: 'enterprises', least: 'viewer', key: 'e' },
  { to: '/preview', name: 'preview', least: 'viewer', key: 'w' },
  { to: '/applications', name: 'applications', least: 'viewer', key: 'p' },
  { to: '/channels', name: 'channels', least: 'viewer', key: 'n' },
  { to: '/webhooks', name: 'webhooks', least: 'viewer', key: 'h' },
  { to: '/queue', name: 'queue', least: 'viewer', key: 'q' },
  { to: '/operators', name: 'operators', least: 'admin', key: 'u' },
  { to: '/audit-log', name: 'auditLog', least: 'support', key: 'c' },
] as const satisfies readonly Area[];

interface Area {
  to: string;
  name: keyof typeof shellWords.en;
  least: OperatorRole;
  key: string;
}
