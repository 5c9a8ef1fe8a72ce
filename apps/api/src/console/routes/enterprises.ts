import type { EnterpriseId, ListedCustomer, MemberId } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import { OPERATOR } from '@lockstep/contract/operator';
import { setSecurityMobile } from '@lockstep/customers';
import { findEnterprise, listEnterprises, searchCustomers } from '@lockstep/customers/operator';
import { countSeats, listHoldings } from '@lockstep/members';
import {
  createFirstAdministrator,
  listAdministrators,
  listAuditOfAll,
  listEmployeesOfAll,
  readEmployees,
  setAdministratorPassword,
} from '@lockstep/members/operator';
import { hideMobile, recordedCall, recordMobileSet } from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import type { ServerOptions } from '../../options.ts';
import { hideMobiles, hidePersonal } from '../hidden-fields.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { partyOf } from '../who-acts.ts';

/** Handlers for customers and enterprises, their employees and audit logs, and passwords of administrators. */
export function enterprisesHandlers({ passwords, reads }: ServerOptions) {
  const passwordTools = (request: FastifyRequest) => ({
    db: request.db,
    passwords,
    signal: request.deadline.signal,
  });

  return {
    listEnterprises: (request) => listEnterprises(request.db, request.query),

    listCustomers: async (request, operator) => {
      const { exact, customers, nextCursor } = await searchCustomers(request.db, OPERATOR, request.query);
      const show = (row: ListedCustomer) =>
        hidePersonal(operator, { ...row, contact: row.contact && hidePersonal(operator, row.contact) });
      return { exact: exact.map(show), customers: customers.map(show), nextCursor };
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
      await requireEnterprise(request.db, enterpriseId);
      const { employees, nextCursor } = await listEmployeesOfAll(request.db, enterpriseId, request.query);
      return {
        employees: employees.map(({ passwordMobile, ...employee }) => ({
          ...employee,
          passwordMobile: passwordMobile && hideMobile(passwordMobile),
        })),
        nextCursor,
      };
    },

    getSeats: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      await requireEnterprise(request.db, enterpriseId);
      const count = () => countSeats(request.db, { enterpriseId, channels: null });
      return await reads.run(partyOf(operator), request.deadline.signal, count);
    },

    listHoldings: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      await requireEnterprise(request.db, enterpriseId);
      const list = () => listHoldings(request.db, { enterpriseId, channels: null }, request.query);
      const { holdings, nextCursor } = await reads.run(partyOf(operator), request.deadline.signal, list);
      const ids = holdings.flatMap(({ beganBy, endedByGlobalId }) => [beganBy, endedByGlobalId]);
      const administrators = await readEmployees(
        request.db,
        ids.filter((id) => id !== null),
      );
      const accountOf = (id: MemberId | null) => (id === null ? null : (administrators.get(id)?.account ?? null));
      return {
        holdings: holdings.map((holding) => ({
          ...holding,
          beganByAccount: accountOf(holding.beganBy),
          endedByAccount: accountOf(holding.endedByGlobalId),
        })),
        nextCursor,
      };
    },

    listEnterpriseAuditLog: async (request) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      await requireEnterprise(request.db, enterpriseId);
      const { entries, nextCursor } = await listAuditOfAll(request.db, enterpriseId, request.query);
      return { entries: entries.map((entry) => ({ ...entry, detail: hideMobiles(entry.detail) })), nextCursor };
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
      const found = await createFirstAdministrator(passwordTools(request), enterpriseId, call);
      const created = existing('enterprise', enterpriseId, found);
      if ('existingAccount' in created) {
        throw new ConsoleRefusal('changed_meanwhile', 'administrator', created.existingAccount);
      }
      const { memberId: memberGlobalId, account, password } = created;
      return { memberGlobalId, account, password };
    },

    resetAdministratorPassword: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId, memberGlobalId: memberId } = request.params;
      const call = recordedCall(operator, 'administrator.password_reset');
      const found = await setAdministratorPassword(passwordTools(request), { enterpriseId, memberId }, call);
      const { account, password } = existing('administrator', memberId, found);
      return { memberGlobalId: memberId, account, password };
    },
  } satisfies ConsoleHandlers;
}

async function requireEnterprise(db: Database, enterpriseId: EnterpriseId) {
  return existing('enterprise', enterpriseId, await findEnterprise(db, OPERATOR, enterpriseId));
}
