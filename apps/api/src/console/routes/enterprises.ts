import type { EnterpriseId, ListedCustomer } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import { listCustomers, setSecurityMobile } from '@lockstep/customers';
import { findEnterprise, listEnterprises } from '@lockstep/customers/operator';
import { countSeats, listHoldings } from '@lockstep/members';
import {
  createFirstAdministrator,
  listAdministrators,
  listAuditOfAll,
  listEmployeesOfAll,
  readEmployees,
  setAdministratorPassword,
} from '@lockstep/members/operator';
import { hideMobile, type Operator, recordedCall, recordMobileSet } from '@lockstep/operators';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../services.ts';
import { hideMobiles, hidePersonal } from '../hidden-fields.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { partyOf } from '../who-acts.ts';

/** Handlers for customers and enterprises, their employees and audit logs, and passwords of administrators. */
export function enterprisesHandlers({ passwords, reads }: Services) {
  const passwordTools = (request: FastifyRequest) => ({
    db: request.db,
    passwords,
    signal: request.deadline.signal,
  });

  return {
    listEnterprises: (request, operator) => listEnterprises(request.db, operator, request.query),

    listCustomers: async (request, operator) => {
      const query = { ...request.query, name: undefined, channelCustomerId: undefined };
      const { customers, nextCursor } = await listCustomers(request.db, operator, query);
      const show = (row: ListedCustomer) =>
        hidePersonal(operator, { ...row, contact: row.contact && hidePersonal(operator, row.contact) });
      return { customers: customers.map(show), nextCursor };
    },

    getEnterprise: async (request, operator) => {
      const { securityMobile, isWhole, ...enterprise } = await findNamedEnterprise(request, operator);
      return {
        ...enterprise,
        securityMobile: securityMobile && hideMobile(securityMobile),
        ...(await listAdministrators(request.db, enterprise.enterpriseGlobalId)),
      };
    },

    listEmployees: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = await findNamedEnterprise(request, operator);
      const { employees, nextCursor } = await listEmployeesOfAll(request.db, operator, enterpriseId, request.query);
      return {
        employees: employees.map(({ passwordMobile, ...employee }) => ({
          ...employee,
          passwordMobile: passwordMobile && hideMobile(passwordMobile),
        })),
        nextCursor,
      };
    },

    getSeats: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = await findNamedEnterprise(request, operator);
      const count = () => countSeats(request.db, { enterpriseId, channels: operator.channels });
      return await reads.run(partyOf(operator), request.deadline.signal, count);
    },

    listHoldings: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = await findNamedEnterprise(request, operator);
      const list = () => listHoldings(request.db, { enterpriseId, channels: operator.channels }, request.query);
      const { holdings, nextCursor } = await reads.run(partyOf(operator), request.deadline.signal, list);
      const ids = holdings.flatMap(({ beganBy, endedByGlobalId }) => [beganBy, endedByGlobalId]);
      const administrators = await readEmployees(request.db, ids);
      return {
        holdings: holdings.map((holding) => ({
          ...holding,
          beganByAccount: administrators.get(holding.beganBy)?.account ?? null,
          endedByAccount: administrators.get(holding.endedByGlobalId)?.account ?? null,
        })),
        nextCursor,
      };
    },

    listEnterpriseAuditLog: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = await findWholeEnterprise(request, operator);
      const { entries, nextCursor } = await listAuditOfAll(request.db, enterpriseId, request.query);
      return { entries: entries.map((entry) => ({ ...entry, detail: hideMobiles(entry.detail) })), nextCursor };
    },

    setSecurityMobile: async (request, operator) => {
      const { enterpriseGlobalId: id } = await findWholeEnterprise(request, operator);
      const { securityMobile: mobile } = request.body;
      const isFound = await setSecurityMobile(request.db, { id, mobile }, (trx, before) =>
        recordMobileSet(trx, operator, { enterpriseId: id, before, after: mobile }),
      );
      if (!isFound) throw new ConsoleRefusal('not_found', 'enterprise', id);
    },

    createFirstAdministrator: async (request, operator) => {
      const { enterpriseGlobalId: enterpriseId } = await findWholeEnterprise(request, operator);
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
      const { enterpriseGlobalId: enterpriseId } = await findWholeEnterprise(request, operator);
      const { memberGlobalId: memberId } = request.params;
      const call = recordedCall(operator, 'administrator.password_reset');
      const found = await setAdministratorPassword(passwordTools(request), { enterpriseId, memberId }, call);
      const { account, password } = existing('administrator', memberId, found);
      return { memberGlobalId: memberId, account, password };
    },
  } satisfies ConsoleHandlers;
}

/** A call about one enterprise. */
type EnterpriseCall = FastifyRequest<{ Params: { enterpriseGlobalId: EnterpriseId } }>;

/** Returns the enterprise that a call names. Throws a ConsoleRefusal: not_found. */
async function findNamedEnterprise({ db, params: { enterpriseGlobalId: id } }: EnterpriseCall, operator: Operator) {
  return existing('enterprise', id, await findEnterprise(db, operator, id));
}

/** Does the same. Throws a ConsoleRefusal: channels_missing, unless the operator sees all its customers. */
async function findWholeEnterprise(request: EnterpriseCall, operator: Operator) {
  const enterprise = await findNamedEnterprise(request, operator);
  if (!enterprise.isWhole) throw new ConsoleRefusal('channels_missing');
  return enterprise;
}
