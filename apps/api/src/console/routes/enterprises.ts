import type { CustomerId, EnterpriseId, MemberId } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import { setSecurityMobile } from '@lockstep/customers';
import { findEnterprise, listCustomersOfAll, listEnterprises } from '@lockstep/customers/operator';
import {
  createFirstAdministrator,
  listAdministrators,
  listAuditOfAll,
  listEmployeesOfAll,
  setAdministratorPassword,
} from '@lockstep/members/operator';
import { hideMobile, recordedCall, recordMobileSet } from '@lockstep/operators';
import { type Database, ListCursor } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import type { ServerOptions } from '../../options.ts';
import { hideMobiles, hidePersonal } from '../hidden-fields.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Handlers for customers and enterprises, their employees and audit logs, and passwords of administrators. */
export function enterprisesHandlers({ passwords }: ServerOptions) {
  const passwordTools = (request: FastifyRequest) => ({
    db: request.db,
    passwords,
    signal: request.deadline.signal,
  });

  return {
    listEnterprises: async (request) => {
      const { limit, cursor, text } = request.query;
      const places = new ListCursor(['console', 'enterprises', { text }], cursor);
      const after = (places.after?.[0] ?? null) as EnterpriseId | null;
      const { exact, enterprises, stop } = await listEnterprises(request.db, text, { after, limit });
      return { exact, enterprises, nextCursor: places.write(stop && [stop]) };
    },

    listCustomers: async (request, operator) => {
      const { limit, cursor, ...wanted } = request.query;
      const { text, enterpriseGlobalId: enterpriseId, channelCode } = wanted;
      const places = new ListCursor(['console', 'customers', wanted], cursor);
      const after = (places.after?.[0] ?? null) as CustomerId | null;
      const filters = { text, enterpriseId, channelCode };
      const { exact, customers, stop } = await listCustomersOfAll(request.db, filters, { after, limit });
      const [shownExact, shown] = [exact, customers].map((rows) => rows.map((row) => hidePersonal(operator, row)));
      return { exact: shownExact!, customers: shown!, nextCursor: places.write(stop && [stop]) };
    },

    getEnterprise: async (request) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const { securityMobile, ...enterprise } = await requireEnterprise(request.db, enterpriseId);
      return {
        ...enterprise,
        securityMobile: securityMobile && hideMobile(securityMobile),
        ...(await listAdministrators(request.db, enterpriseId)),
      };
    },

    listEmployees: async (request) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const { limit, cursor, text } = request.query;
      const places = new ListCursor(['console', 'employees', { enterpriseId, text }], cursor);
      const after = (places.after?.[0] ?? null) as MemberId | null;
      await requireEnterprise(request.db, enterpriseId);
      const { employees, stop } = await listEmployeesOfAll(request.db, { enterpriseId, text }, { after, limit });
      return {
        employees: employees.map(({ passwordMobile, ...employee }) => ({
          ...employee,
          passwordMobile: passwordMobile && hideMobile(passwordMobile),
        })),
        nextCursor: places.write(stop && [stop]),
      };
    },

    listEnterpriseAuditLog: async (request) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const { limit, cursor } = request.query;
      const places = new ListCursor(['console', 'enterpriseAuditLog', { enterpriseId }], cursor);
      const after = places.after?.[0] ?? null;
      await requireEnterprise(request.db, enterpriseId);
      const { entries, stop } = await listAuditOfAll(request.db, enterpriseId, { after, limit });
      return {
        entries: entries.map(({ detail, ...entry }) => ({ ...entry, detail: hideMobiles(detail) })),
        nextCursor: places.write(stop === null ? null : [stop]),
      };
    },

    setSecurityMobile: async (request, operator) => {
      const { enterpriseGlobalId: id } = request.params;
      const { securityMobile: mobile } = request.body;
      const isFound = await setSecurityMobile(request.db, { id, mobile }, (trx, before) =>
        recordMobileSet(trx, operator, { enterpriseId: id, before, after: mobile }),
      );
      if (!isFound) throw new ConsoleRefusal('not_found', 'enterprise', id);
      return null;
    },

    createFirstAdministrator: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const call = recordedCall(operator, 'administrator.created');
      const created = await createFirstAdministrator(passwordTools(request), enterpriseId, call);
      if (created === undefined) throw new ConsoleRefusal('not_found', 'enterprise', enterpriseId);
      if ('existingAccount' in created) {
        throw new ConsoleRefusal('changed_meanwhile', `it now has the administrator ${created.existingAccount}`);
      }
      const { memberId: memberGlobalId, account, password } = created;
      return { memberGlobalId, account, password };
    },

    resetAdministratorPassword: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId, memberGlobalId: memberId } = request.params;
      const call = recordedCall(operator, 'administrator.password_reset');
      const login = await setAdministratorPassword(passwordTools(request), { enterpriseId, memberId }, call);
      if (login === undefined) throw new ConsoleRefusal('not_found', 'administrator', memberId);
      return { memberGlobalId: memberId, account: login.account, password: login.password };
    },
  } satisfies ConsoleHandlers;
}

async function requireEnterprise(db: Database, enterpriseId: EnterpriseId) {
  const enterprise = await findEnterprise(db, enterpriseId);
  if (enterprise === undefined) throw new ConsoleRefusal('not_found', 'enterprise', enterpriseId);
  return enterprise;
}
